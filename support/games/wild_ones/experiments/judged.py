"""How the chapter on wild ones judges what was published: shares of places, and what the network is.

Shares are judged by as many test games as the author's, and one joint test. The widths of the published network are
read off a trained one and the rules; a table says how it is trained.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support.games.wild_ones.dqn import NOTEBOOK, DQNSettings
from support.games.wild_ones.dqn_fast import evaluate
from support.games.wild_ones.experiments.runs import NetworkRuns, WildOnesScale
from support.games.wild_ones.experiments.training import PUBLISHED, counted, player
from support.games.wild_ones.play_fast import play
from support.games.wild_ones.policies import tables
from support.games.wild_ones.rules import WildOnes, allowed, bid_of
from support.verdicts.stats import false_alarms, joint_surprise, passing_ranges, rank_test, share_surprise

DOCUMENT, PROGRAM, OURS = "document", "author's notebook", "our choice"
TESTED = 5000
"""Test games behind each published share."""
DUELS, TESTS, FIVES = 96, 97, 95
"""Places of the seeds of these games below the chapter's root; sweeps have the small numbers."""
GRID = np.arange(0, 100.05, 0.1)
"""The published shares that are tried, in percent: as many decimals as the document prints."""


@dataclass(frozen=True)
class Judged:
    """How a published row of shares compares with our runs.

    Attributes:
        surprise: the joint test's probability, :func:`support.verdicts.stats.joint_surprise`.
        ranges: which values of the row's first share would have passed, the others in proportion, in percent.
        false_alarms: the share of our own runs that the test would call surprising.
    """

    surprise: float
    ranges: list[tuple[float, float]]
    false_alarms: float

    def would_pass(self, what: str = "the agent's share") -> str:
        """The ranges in words.

        Args:
            what: whose they are.
        """
        some = " or ".join(f"from {low:.1f} to {high:.1f}%" for low, high in self.ranges) or "none"
        return f"{what} {some}, the others in proportion"


def judged(published: Sequence[float] | np.ndarray, runs: np.ndarray, column: int = 0, shared: int = 0) -> Judged:
    """Hold a published row of shares against our runs of as many games, by the joint test.

    Args:
        published: float[k], in percent.
        runs: float[n, k], in percent, one row a run.
        column: the share of which it is asked what would have passed.
        shared: how many columns from the first of ``column``'s block on share one total; 0 for all.

    Raises:
        ValueError: rows of different lengths, or too few.
    """
    width = shared or len(published)
    start = column // width * width
    ranges = passing_ranges(published, runs, column, GRID, slice(start, start + width))
    return Judged(joint_surprise(published, runs), ranges, false_alarms(runs))


def published_shares(opponents: str) -> np.ndarray:
    """float64[places, players], what was published in percent; of each place the agent's share first.

    Args:
        opponents: names joined by +, as in ``PUBLISHED``.
    """
    return np.roll(np.array(PUBLISHED[opponents]).T, 1, axis=1)


def shares_in_tests(config: WildOnesScale, runs: NetworkRuns, name: str, place: int) -> np.ndarray:
    """float64[runs, places, players], percent of ``TESTED`` games with each kept agent; the agent's share first.

    Args:
        config: whose seeds are spawned; the same test games for the same run in every build.
        runs: with the weights kept.
        name: of the setting.
        place: of the seeds below the root.
    """
    run, found = runs.settings[name], []
    others = tables(run.rules(), run.names())
    trained = zip(runs.column("weights", name), runs.column("seed", name), strict=True)
    seeds = config.spawn(len(runs.column("seed", name)), place).tolist()
    for (weights, seed), testing in zip(trained, seeds, strict=True):
        agent = player(run, weights, int(seed))
        found.append(np.roll(counted(evaluate(agent, others, TESTED, testing).places).T, 1, axis=1))
    return 100 * np.array(found) / TESTED


def shares_in_duels(config: WildOnesScale, runs: NetworkRuns, name: str) -> np.ndarray:
    """float64[runs, 1 + kinds], percent of ``TESTED`` games that the agent won, and each opponent, one against one.

    A fair coin draws the opponent of each game, so that an opponent's share has only its own games in it.

    Args:
        config: whose seeds are spawned.
        runs: with the weights kept, of networks that see the document's numbers.
        name: of the setting.
    """
    run, found = runs.settings[name], []
    game, kinds = WildOnes(2, run.dice), list(dict.fromkeys(run.names()))
    trained = zip(runs.column("weights", name), runs.column("seed", name), strict=True)
    for number, (weights, seed) in enumerate(trained):
        drawing, *testing = config.spawn(1 + len(kinds), DUELS, number).tolist()
        drawn = np.random.default_rng(drawing).integers(len(kinds), size=TESTED)
        table, lost = player(run, weights, int(seed)).table(game), []
        for kind, stream in enumerate(testing):
            games = play(game, [*tables(game, [kinds[kind]]), table], int((drawn == kind).sum()), stream)
            lost.append(np.count_nonzero(games.places[:, 1] != 1))
        found.append([TESTED - sum(lost), *lost])
    return 100 * np.array(found) / TESTED


def passing_counts(trials: int, shares: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """The lowest and the highest published share, in percent, that ``share_surprise`` lets pass.

    Args:
        trials: games behind the published share.
        shares: float[seeds], ours, computed.

    Raises:
        ValueError: no half percentage passes.
    """
    tried = [k / 2 for k in range(201)]
    found = [one for one in tried if share_surprise(round(one / 100 * trials), trials, shares) >= 0.05]
    if not found:
        raise ValueError("no share would pass")
    return found[0], found[-1]


@dataclass(frozen=True)
class Gain:
    """What one setting brings over another, in points of the share of first places.

    Attributes:
        points: the difference of the means.
        interval: 95% for it, Welch's.
        found: the difference that the rank test at 5% would find four times in five.
        p_value: of the rank test that there is none.
    """

    points: float
    interval: tuple[float, float]
    found: float
    p_value: float

    def exceeds(self, least: float) -> bool | None:
        """Whether the gain is more than ``least`` points: yes or no where the whole interval says so, else None."""
        low, high = self.interval
        return True if low > least else False if high < least else None


def gain(with_it: np.ndarray, without: np.ndarray) -> Gain:
    """What agents that have something win more than those that have it not.

    Args:
        with_it: float[n], share of first places of each run.
        without: float[m].

    Raises:
        ValueError: fewer than two runs of a kind.
    """
    from scipy.stats import norm, ttest_ind

    one, other = 100 * np.asarray(with_it, float), 100 * np.asarray(without, float)
    if min(one.size, other.size) < 2:
        raise ValueError(f"an interval needs at least two runs of each kind, not {one.size} and {other.size}")
    interval = ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    error = (one.var(ddof=1) / one.size + other.var(ddof=1) / other.size) ** 0.5
    # Where values are normal the rank test needs pi / 3 times as many of them as Student's.
    found = (norm.ppf(0.975) + norm.ppf(0.8)) * error * (np.pi / 3) ** 0.5
    ends = float(interval.low), float(interval.high)
    return Gain(float(one.mean() - other.mean()), ends, float(found), rank_test(one, other))


def actions_of(game: WildOnes) -> set[str]:
    """Everything that can ever be said, gathered from the rules.

    The opener may make any bid, so that whatever can follow one follows one of the opener's.
    """
    opening = allowed(game.most, None)
    return set(opening).union(*(allowed(game.most, bid_of(action)) for action in opening))


def layers_in(path: Path | str) -> list[tuple[int, int]]:
    """The inputs and outputs of each layer of a network in a file, read off the shapes of its weights.

    Args:
        path: a file of safetensors, as :meth:`support.games.wild_ones.dqn_player.DQNPlayer.save` writes it.
    """
    from safetensors.numpy import load_file

    tensors = load_file(path)
    names = sorted((name for name in tensors if name.endswith(".weight")), key=lambda name: int(name[5:-7]))
    return [(int(tensors[name].shape[0]), int(tensors[name].shape[1])) for name in names]


def widths(game: WildOnes, observation: Sequence[int], layers: Sequence[tuple[int, int]]) -> str:
    """The widths of a network in words, if it fits a state as it is encoded, and the actions of the game.

    Args:
        game: the rules, from which the actions are gathered.
        observation: a state as the network sees it.
        layers: inputs and outputs of each layer, as :func:`layers_in` reads them.

    Raises:
        ValueError: a layer that does not fit the state, the actions or the layer before it.
    """
    outputs, between = len(actions_of(game)), [after for _, after in layers[:-1]]
    if [before for before, _ in layers] != [len(observation), *between] or layers[-1][1] != outputs:
        raise ValueError(f"{len(observation)} inputs and {outputs} actions do not fit layers of {list(layers)}")
    hidden = ", ".join(map(str, sorted(set(between)))) or "no"
    return f"{len(observation)} inputs, {outputs} outputs, {len(layers)} layers, {hidden} units"


def training_rows(settings: DQNSettings, steps: float) -> list[tuple[str, str, str]]:
    """How a network is trained, line by line: what, how much, and where that is from.

    Args:
        settings: of the training.
        steps: of the optimiser, on average over the runs.
    """
    fall = f"{settings.decay:,.0f} {settings.decay_in}"
    decay = DOCUMENT if settings.decay_in == "games" else PROGRAM
    fading = f" (notebook: {NOTEBOOK.weight_decay:g})"
    return [
        ("loss", "Huber", DOCUMENT),
        ("optimiser", f"AdamW{', amsgrad' * settings.amsgrad}", PROGRAM),
        ("learning rate", f"{settings.learning_rate:g}", DOCUMENT),
        ("weight decay", f"{settings.weight_decay:g}", DOCUMENT + fading),
        ("largest derivative in a step", f"{settings.clip:g}", PROGRAM),
        ("transitions in a step (batch)", f"{settings.batch:,}", DOCUMENT),
        ("transitions kept (replay memory)", f"{settings.memory:,}", PROGRAM),
        ("decisions of the agent between steps", f"{settings.every:,}", PROGRAM),
        ("part of the way the target network follows, τ", f"{settings.tau:g}", DOCUMENT),
        ("discount γ", f"{settings.discount:g}", DOCUMENT),
        ("exploration ε", f"from {settings.epsilon_start:g} towards {settings.epsilon_end:g}", DOCUMENT),
        ("its distance to the end falls by e in", fall, decay),
        ("games before the first step (warm-up)", f"{settings.warm_games:,}", DOCUMENT),
        ("games of training", f"{settings.games:,}", f"{DOCUMENT} (notebook: {NOTEBOOK.games:,})"),
        ("steps in them, on average", f"{steps:,.0f}", "follows"),
        ("first weights", "uniform within ±1/√inputs (torch's own)", OURS),
        ("of equal values", "the action of the lowest number", OURS),
    ]
