"""Five published programs that learn to play small games: the rules, the agents, the exact answers and the checks.

``games`` knows nobody; ``agents`` know games; ``exact`` knows games and the policies of agents; ``kernels`` know all
three, whose plain functions they repeat; ``experiments`` know all of them. One arrow runs back: the agent of
``agents.wild_ones_model`` plans with an exact answer. ``claims``, ``stats`` and ``figures`` know none of them. Heavy
libraries (numba, torch, matplotlib) load where they are used.
"""

__version__ = "0.1.0"
