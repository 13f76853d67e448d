"""Exact answers, in fractions, for any game that implements the interface and is small enough to unfold."""
