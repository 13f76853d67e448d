"""Speed, fast beside plain, in one run: ``python -m benchmarks``."""
