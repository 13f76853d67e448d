"""Where ``TIED`` was before the module became ``play``; kept for one who still takes it from here."""

# Only the agents trained for the command line do; when they take it from ``play``, this module goes.
from support.agents.call_or_raise.play import TIED

__all__ = ["TIED"]
