"""What the games with dice under cups share, and Liar's Dice."""
