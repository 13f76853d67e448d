"""What the page "Play" plays from: rules, agents and exact answers as tables, written from the Python ones.

The page holds no rule of any game and no strategy of any agent. Its script (``book/static/play``) looks up who is to
move, what is legal, what follows and what an agent does in tables that this package writes by walking through
``support.games``; tests play both sides at random and compare them.
"""
