"""What the page *Sit down and play* plays from: rules, agents and exact answers as tables, from those in Python.

The page holds no rule of any game but what a round of dice under cups is, and no strategy of any agent. Its scripts
(``book/static/play``) look up who is to move, what is legal, what follows and what an agent does in tables that this
package writes by walking through ``support.games``; tests play both sides at random and compare them.
"""
