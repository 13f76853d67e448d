"""Wild ones (chapter 5): rules, players, learners, exact ceiling, experiments, pictures, and how people play it."""
