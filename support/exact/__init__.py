"""Truth: exact answers in fractions, for any game behind the interface that is small enough to unfold."""
