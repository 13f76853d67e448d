"""The learned table of :mod:`support.games.wild_ones.listener`: its arrays, its choices, and its file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from support.games.cups.rolls import FACES
from support.games.wild_ones.listener import Key, Keys, ListenerLearner, ListenerSettings, Row
from support.games.wild_ones.rules import WildOnes, WildOnesState

FORMAT = "table of wild ones, 2"


class TableFileError(ValueError):
    """A file cannot be read as a table; the message names it and says what is wrong."""


@dataclass(frozen=True, eq=False)
class ListenerTable:
    """A learned table as arrays. Rows are sorted by place, then by bids.

    Attributes:
        game: the rules.
        settings: how it was learned.
        seed, games: the seed and the number of the games that it was learned from.
        places, bids: uint32[n] and uint64[n], the keys.
        firsts: int64[n + 1], where each row begins.
        counts, values: uint32[m] and float64[m], visits and values of the legal actions of all rows, in order.
        starts, start_counts, start_values: int64[s], int64[s] and float64[s], the beginnings that were met, their
            visits and values.

    Raises:
        ValueError: the arrays do not fit one another or the game.
    """

    game: WildOnes
    settings: ListenerSettings
    seed: int
    games: int
    places: np.ndarray
    bids: np.ndarray
    firsts: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    starts: np.ndarray
    start_counts: np.ndarray
    start_values: np.ndarray

    def __post_init__(self) -> None:
        rows, actions, starts = len(self.places), len(self.values), len(self.starts)
        sizes = (rows, rows, rows + 1, actions, actions, starts, starts, starts)
        for (name, kind), size in zip(ARRAYS.items(), sizes, strict=True):
            array = getattr(self, name)
            if array.dtype != kind or array.shape != (size,):
                found = f"{array.dtype}{list(array.shape)}"
                raise ValueError(f"{name} must be {np.dtype(kind)}[{size}], not {found}")
        keys = Keys(self.game, self.settings)
        if rows > self.settings.states:
            raise ValueError(f"there are {rows:,} rows, but the settings allow {self.settings.states:,}")
        if not (np.isfinite(self.values).all() and np.isfinite(self.start_values).all()):
            raise ValueError("some values are not finite")
        if starts and not (np.diff(self.starts) > 0).all():
            raise ValueError("starts must be in rising order")
        if starts and not (self.starts[0] >= 0 and self.starts[-1] < keys.starts):
            raise ValueError("starts must be numbers of beginnings at this size")
        if self.firsts[0] != 0 or self.firsts[-1] != actions:
            raise ValueError(f"the rows must begin at 0 and end at {actions}")
        widths = np.diff(self.firsts)
        before = None
        for place, bids, width in zip(self.places.tolist(), self.bids.tolist(), widths.tolist(), strict=True):
            key = Key(place, bids)
            if before is not None and key <= before:
                raise ValueError(f"rows must be sorted, but {key} stands after {before}")
            if place >= keys.places or bids >> FACES * self.game.most or _width(keys, key) != width:
                raise ValueError(f"there is a row of {width} actions for {key}")
            before = key
        if rows and not np.maximum.reduceat(self.counts, self.firsts[:-1]).all():
            raise ValueError("there is a row in which no action was taken")

    @classmethod
    def of(cls, learner: ListenerLearner) -> "ListenerTable":
        """All rows and beginnings of a plain learner so far, without rows from a round that a full table cut off."""
        keys = sorted(key for key, row in learner.rows.items() if any(row.counts))
        starts = sorted(learner.starts)
        rows = [learner.rows[key] for key in keys]
        return cls(
            learner.game,
            learner.settings,
            learner.seed,
            learner.played,
            np.array([key.place for key in keys], np.uint32),
            np.array([key.bids for key in keys], np.uint64),
            np.cumsum([0, *(len(row.counts) for row in rows)]).astype(np.int64),
            np.array([count for row in rows for count in row.counts], np.uint32),
            np.array([value for row in rows for value in row.values], np.float64),
            np.array(starts, np.int64),
            np.array([int(learner.starts[start][0]) for start in starts], np.int64),
            np.array([learner.starts[start][1] for start in starts], np.float64),
        )

    @property
    def states(self) -> int:
        """The number of information states."""
        return len(self.places)

    @cached_property
    def keys(self) -> Keys:
        """The numbering of information states and beginnings."""
        return Keys(self.game, self.settings)

    def row(self, key: Key) -> Row | None:
        """Visits and values in an information state; None if it was never met."""
        low = int(np.searchsorted(self.places, np.uint32(key.place)))
        high = int(np.searchsorted(self.places, np.uint32(key.place), "right"))
        place = low + int(np.searchsorted(self.bids[low:high], np.uint64(key.bids)))
        if place == high or self.bids[place] != key.bids:
            return None
        span = slice(int(self.firsts[place]), int(self.firsts[place + 1]))
        return Row(self.counts[span].tolist(), self.values[span].tolist())

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """The action of highest value among those taken before, the first if tied.

        In an information state that was never met, it is liar or, for the opener, the lowest bid.

        Raises:
            ValueError: the agent is not to move.
        """
        row = self.row(self.keys.key(state, seats))
        return state.legal_actions()[row.best() if row else 0]

    def pruned(self, met: np.ndarray) -> "ListenerTable":
        """A smaller table that plays the same in some of the rows: it keeps only the best action of each.

        Args:
            met: bool[n], the rows to keep; ``support.games.wild_ones.listener_fast`` finds those met in greedy play.

        Raises:
            ValueError: there is not one flag for each row.
        """
        if met.shape != (self.states,) or met.dtype != np.bool_:
            raise ValueError(f"met must be bool[{self.states}], not {met.dtype}{list(met.shape)}")
        counts, values, kept = np.zeros_like(self.counts), np.zeros_like(self.values), np.zeros(len(self.values), bool)
        for row in np.flatnonzero(met):
            first, end = self.firsts[row : row + 2].tolist()
            best = first + Row(self.counts[first:end].tolist(), self.values[first:end].tolist()).best()
            counts[best], values[best], kept[first:end] = self.counts[best], self.values[best], True
        return replace(
            self,
            places=self.places[met],
            bids=self.bids[met],
            firsts=np.concatenate([[0], np.cumsum(np.diff(self.firsts)[met])]),
            counts=counts[kept],
            values=values[kept],
        )

    def save(self, path: Path | str) -> Path:
        """Write a file that :func:`load` reads.

        Args:
            path: the path of the file, which ends in ``.npz``.

        Raises:
            TableFileError: the path has another ending.
        """
        path = _path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {
            "format": FORMAT,
            "game": asdict(self.game),
            "settings": asdict(self.settings),
            "seed": self.seed,
            "games": self.games,
        }
        np.savez_compressed(path, about=np.array(json.dumps(about)), **{name: getattr(self, name) for name in ARRAYS})
        return path


ARRAYS: Mapping[str, Any] = {
    "places": np.uint32,
    "bids": np.uint64,
    "firsts": np.int64,
    "counts": np.uint32,
    "values": np.float64,
    "starts": np.int64,
    "start_counts": np.int64,
    "start_values": np.float64,
}
"""The arrays of a :class:`ListenerTable`, and their types."""


def _width(keys: Keys, key: Key) -> int:
    """The number of legal actions at a key; 0 if no game leads there."""
    try:
        return len(keys.legal(key))
    except ValueError:
        return 0


def _path(path: Path | str) -> Path:
    path = Path(path)
    if path.suffix != ".npz":
        raise TableFileError(f"{path}: a table is kept in a file that ends in .npz")
    return path


def load(path: Path | str) -> ListenerTable:
    """Read a table that :meth:`ListenerTable.save` wrote.

    Raises:
        TableFileError: the file is missing, cut off, changed, or not of this kind.
    """
    path = _path(path)
    if not path.is_file():
        raise TableFileError(f"{path}: there is no such file")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in ("about", *ARRAYS) if name in file.files}
    except (OSError, ValueError, EOFError, RuntimeError, BadZipFile) as error:
        raise TableFileError(f"{path}: this is no npz file, or it was cut off: {error}") from None
    missing = [name for name in ("about", *ARRAYS) if name not in arrays]
    if missing:
        raise TableFileError(f"{path}: this holds no table: {', '.join(missing)} is missing")
    try:
        about = json.loads(str(arrays.pop("about")))
        if about["format"] != FORMAT:
            raise ValueError(f"expected '{FORMAT}', not {about['format']!r}")
        game, settings = WildOnes(**about["game"]), ListenerSettings(**about["settings"])
        return ListenerTable(game, settings, int(about["seed"]), int(about["games"]), **arrays)
    except (KeyError, TypeError, ValueError) as error:
        wrong = f"{error.args[0]} is missing" if isinstance(error, KeyError) else error
        raise TableFileError(f"{path}: {wrong}") from None
