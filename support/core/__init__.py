"""What all games share: the interface, the unfolded game, policies, play and streams of random numbers."""
