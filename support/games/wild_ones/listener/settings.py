"""How the table learns: what it goes by, how curious it is, and how far a visit moves a value."""

from dataclasses import dataclass

from support.core.checks import require_flag, require_number, require_whole

MOST_STATES = 1 << 22


@dataclass(frozen=True)
class Settings:
    """What the agent goes by, and how it learns.

    Attributes:
        hears: whether it goes by all bids of the round and by who opened; otherwise by the last bid alone.
        knows: whether it tells the opponents apart; otherwise only how many dice each neighbour has.
        curiosity: the weight of the bonus for actions that were taken rarely, in games won.
        recency: how many visits the first step is worth beyond one; 0 makes a value the mean of all that it was told.
        states: rows at most; one more is an error.

    Raises:
        ValueError: a value outside its range.
    """

    hears: bool = True
    knows: bool = True
    curiosity: float = 0.3
    recency: float = 3.0
    states: int = 1 << 18

    def __post_init__(self) -> None:
        for name in ("hears", "knows"):
            require_flag(name, getattr(self, name))
        for name in ("curiosity", "recency"):
            require_number(name, getattr(self, name), 0, 1e6)
        require_whole("states", self.states, 1, MOST_STATES)
