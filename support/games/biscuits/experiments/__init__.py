"""What chapter 1 runs."""
