"""Three dice, one player (chapter 2): rules, plans, experiments, pictures, and how people play it."""
