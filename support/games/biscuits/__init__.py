"""The biscuit puzzle (chapter 1): rules, experiments, pictures, and how people play it."""
