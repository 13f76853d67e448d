"""What holds for any game: the interface, the unfolded game, policies, play, streams of random numbers."""
