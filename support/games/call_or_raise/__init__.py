"""Call or raise (chapter 4): rules, learner, exact ceiling, experiments, pictures, and how people play it."""
