"""OpenSpiel's learners (Lanctot et al. 2019) held against this package's, on games that both have.

Importing this package needs OpenSpiel. :func:`held_against` runs the same method on the same game in both; one exact
judge, this package's, measures the NashConv of both average strategies. Where the two define a method differently,
:data:`METHODS` has a variant beside it, in which one side does what the other does.
"""

try:
    import pyspiel  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"support.peers needs OpenSpiel, but there is no module '{error.name}'; "
        "install the dependency group peers: pip install --group peers",
        name=error.name,
    ) from error

from support.peers.games import Shared, kuhn, leduc, liars_dice, shared
from support.peers.methods import METHODS, TURNS
from support.peers.runs import CLOCK, Row, Run, held_against, run_open_spiel

__all__ = [
    "CLOCK",
    "METHODS",
    "TURNS",
    "Row",
    "Run",
    "Shared",
    "held_against",
    "kuhn",
    "leduc",
    "liars_dice",
    "run_open_spiel",
    "shared",
]
