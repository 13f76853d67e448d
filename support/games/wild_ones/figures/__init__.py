"""The pictures of the chapter on Liar's Dice with wild ones: what bids are worth, places, improvements, a comic."""
