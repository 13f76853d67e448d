"""What chapter 2 runs."""
