"""From a measurement to a verdict: claims, criteria, statistics, and the functions that notebooks call."""
