"""From a measurement to a verdict: claims, criteria, statistics, and what a notebook calls."""
