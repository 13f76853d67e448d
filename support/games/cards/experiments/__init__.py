"""What chapter 3 runs."""
