"""How the chapter on wild ones judges what was published: shares of places, and the network.

Shares are judged by as many test games as the author's, and one joint test. The widths of the published network are
read from a trained one and the rules; a table lists how it is trained.
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
"""Places of these games' seeds below the chapter's root; sweeps have the small numbers."""
GRID = np.arange(0, 100.05, 0.1)
"""The published shares that are tried, in percent, with as many decimals as the document prints."""


@dataclass(frozen=True)
class Judged:
    """How a published row of shares compares with our runs.

    Attributes:
        surprise: the joint test's p-value (:func:`support.verdicts.stats.joint_surprise`).
        control: that of a row in the published one's place which a sharp test rejects.
        ranges: which values of one share would have passed, in percent, with the others in proportion.
        false_alarms: the share of our own runs that the test would call surprising.
    """

    surprise: float
    control: float
    ranges: list[tuple[float, float]]
    false_alarms: float

    def would_pass(self, what: str = "the agent's share") -> str:
        """The ranges in words.

        Args:
            what: the name of the share.
        """
        some = " or ".join(f"from {low:.1f} to {high:.1f}%" for low, high in self.ranges) or "none"
        return f"{what} {some}, the others in proportion"


def judged(
    published: Sequence[float] | np.ndarray,
    runs: np.ndarray,
    column: int = 0,
    shared: int = 0,
    control: Sequence[float] = (),
) -> Judged:
    """Compare a published row of shares with our runs of as many games, by the joint test.

    Args:
        published: float[k], in percent.
        runs: float[n, k], in percent, one row for each run.
        column: the share whose passing values are sought.
        shared: how many columns from the first of ``column``'s block on share one total; 0 for all.
        control: float[k], a row that a sharp test rejects, in percent; without it, equal shares of each total.

    Raises:
        ValueError: the rows have different lengths, or are too few.
    """
    width = shared or len(published)
    start = column // width * width
    ranges = passing_ranges(published, runs, column, GRID, slice(start, start + width))
    row = control if len(control) else [100 / width] * len(published)
    return Judged(joint_surprise(published, runs), joint_surprise(row, runs), ranges, false_alarms(runs))


def published_shares(opponents: str) -> np.ndarray:
    """float64[places, players], the published shares in percent; for each place, the agent's share first.

    Args:
        opponents: names joined by +, as in ``PUBLISHED``.
    """
    return np.roll(np.array(PUBLISHED[opponents]).T, 1, axis=1)


def shares_in_tests(config: WildOnesScale, runs: NetworkRuns, name: str, place: int) -> np.ndarray:
    """float64[runs, places, players], percent of ``TESTED`` games with each kept agent; the agent's share first.

    Args:
        config: the sizes; from its root come the seeds, so a run has the same test games in every build.
        runs: the runs, with their weights.
        name: the name of the setting.
        place: the place of the seeds below the root.
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
    """float64[runs, 1 + kinds], percent of ``TESTED`` two-player games that the agent and each opponent won.

    A fair coin draws the opponent of each game, so an opponent's share contains only its own games. The arguments are
    those of :func:`shares_in_tests`; the networks must see the document's numbers.
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
        trials: the number of games behind the published share.
        shares: float[seeds], our computed shares.

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
    """What one setting gains over another, in percentage points of the share of first places.

    Attributes:
        points: the difference of the means.
        interval: its 95% interval (Welch's).
        found: the difference that the rank test at 5% would find about three times in four: four times in five if the
            spread of the runs were known, and somewhat less often because it is estimated.
        p_value: the p-value of the rank test.
    """

    points: float
    interval: tuple[float, float]
    found: float
    p_value: float


def gain(with_it: np.ndarray, without: np.ndarray) -> Gain:
    """What agents with an improvement gain over agents without it.

    Args:
        with_it: float[n], share of first places of each run.
        without: float[m], the same without it.

    Raises:
        ValueError: there are fewer than two runs of one kind.
    """
    from scipy.stats import norm, ttest_ind

    one, other = 100 * np.asarray(with_it, float), 100 * np.asarray(without, float)
    if min(one.size, other.size) < 2:
        raise ValueError(f"an interval needs at least two runs of each kind, not {one.size} and {other.size}")
    interval = ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    error = (one.var(ddof=1) / one.size + other.var(ddof=1) / other.size) ** 0.5
    # With normal values the rank test needs pi / 3 times as many of them as Student's.
    found = (norm.ppf(0.975) + norm.ppf(0.8)) * error * (np.pi / 3) ** 0.5
    ends = float(interval.low), float(interval.high)
    return Gain(float(one.mean() - other.mean()), ends, float(found), rank_test(one, other))


def actions_of(game: WildOnes) -> set[str]:
    """All actions of the game, collected from the rules.

    The opener may make any bid, so whatever can follow a bid can follow one of the opener's.
    """
    opening = allowed(game.most, None)
    return set(opening).union(*(allowed(game.most, bid_of(action)) for action in opening))


def layers_in(path: Path | str) -> list[tuple[int, int]]:
    """The inputs and outputs of each layer of a network in a file, from the shapes of its weights.

    Args:
        path: a safetensors file that :meth:`support.games.wild_ones.dqn_player.DQNPlayer.save` wrote.
    """
    from safetensors.numpy import load_file

    tensors = load_file(path)
    names = sorted((name for name in tensors if name.endswith(".weight")), key=lambda name: int(name[5:-7]))
    return [(int(tensors[name].shape[0]), int(tensors[name].shape[1])) for name in names]


def widths(game: WildOnes, observation: Sequence[int], layers: Sequence[tuple[int, int]]) -> str:
    """The widths of a network in words, if it fits an encoded state and the actions of the game.

    Args:
        game: the rules.
        observation: an encoded state.
        layers: inputs and outputs of each layer, from :func:`layers_in`.

    Raises:
        ValueError: a layer does not fit the state, the actions or the layer before it.
    """
    outputs, between = len(actions_of(game)), [after for _, after in layers[:-1]]
    if [before for before, _ in layers] != [len(observation), *between] or layers[-1][1] != outputs:
        raise ValueError(f"{len(observation)} inputs and {outputs} actions do not fit layers of {list(layers)}")
    hidden = ", ".join(map(str, sorted(set(between)))) or "no"
    return f"{len(observation)} inputs, {outputs} outputs, {len(layers)} layers, {hidden} units"


def training_rows(settings: DQNSettings, steps: float) -> list[tuple[str, str, str]]:
    """How a network is trained, as rows of a table: the parameter, its value, and its source.

    Args:
        settings: the settings of the training.
        steps: the optimiser's steps, on average over the runs.
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
        ("reward of a right *exact*", f"{settings.exact:g}", f"{DOCUMENT} (with all dice: {PROGRAM})"),
        ("reward of a lost die", f"{settings.lost:g}", f"{DOCUMENT} (by a wrong *exact*: {PROGRAM})"),
        ("exploration ε", f"from {settings.epsilon_start:g} towards {settings.epsilon_end:g}", DOCUMENT),
        ("its distance to the end falls by e in", fall, decay),
        ("games before the first step (warm-up)", f"{settings.warm_games:,}", DOCUMENT),
        ("games of training", f"{settings.games:,}", f"{DOCUMENT} (notebook: {NOTEBOOK.games:,})"),
        ("steps in them, on average", f"{steps:,.0f}", "follows"),
        ("first weights", "uniform within ±1/√inputs (torch's own)", OURS),
        ("of equal values", "the action of the lowest number", OURS),
    ]
