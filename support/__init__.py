"""Five published programs that learn to play small games: the rules, the agents, the exact answers and the checks.

``games`` knows nobody; ``agents``, ``exact`` and ``kernels`` know games; ``experiments`` know all three; ``claims``,
``stats`` and ``figures`` know none of them. Heavy libraries (numba, torch, matplotlib) load where they are used.
"""

__version__ = "0.1.0"
