"""Speed, fast beside plain and ours beside that of other people's programs, in one run: ``python -m benchmarks``."""
