"""What chapter 4 runs."""
