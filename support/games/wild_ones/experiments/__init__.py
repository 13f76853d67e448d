"""What chapter 5 runs."""
