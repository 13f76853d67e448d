"""What the published network is: its widths, read off a trained one and the rules, and how it is trained."""

from collections.abc import Sequence
from pathlib import Path

from support.games.wild_ones.dqn.settings import NOTEBOOK, Settings
from support.games.wild_ones.rules import WildOnes, allowed, bid_of

DOCUMENT, PROGRAM, OURS = "document", "author's notebook", "our choice"


def actions_of(game: WildOnes) -> set[str]:
    """Everything that can ever be said, gathered from the rules.

    The opener may make any bid, so that whatever can follow one follows one of the opener's.
    """
    opening = allowed(game.most, None)
    return set(opening).union(*(allowed(game.most, bid_of(action)) for action in opening))


def layers_in(path: Path | str) -> list[tuple[int, int]]:
    """The inputs and outputs of each layer of a network in a file, read off the shapes of its weights.

    Args:
        path: a file of safetensors, as :meth:`support.games.wild_ones.dqn.player.Player.save` writes it.
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


def training_rows(settings: Settings, steps: float) -> list[tuple[str, str, str]]:
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
