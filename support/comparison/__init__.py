"""The chapter on every learner at every table: its runs, its pictures and its files."""
