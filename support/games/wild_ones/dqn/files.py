"""Networks in files: the weights as safetensors, and beside them what they are, as JSON."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from support.games.wild_ones.dqn.network import Network

FORMAT = "network of wild ones, 2"
PACKAGES = ("learned-and-checked", "numpy", "numba", "torch", "safetensors")


class NetworkFileError(ValueError):
    """A file that holds no such network; the message names it and says what is wrong."""


def write(path: Path | str, network: Network, about: Mapping[str, Any]) -> Path:
    """Write the weights of a network and what it is.

    Args:
        path: of the weights; ends in ``.safetensors``.
        network: its weights.
        about: what it is, as JSON has it; the format, the versions of packages and the sha256 of the weights are added.

    Returns:
        The path of the weights.

    Raises:
        NetworkFileError: another ending.
    """
    from safetensors.numpy import save_file

    path, beside = _paths(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, np.ndarray] = {}
    for number, (matrix, bias) in enumerate(network.layers()):
        tensors |= {f"layer{number}.weight": matrix.copy(), f"layer{number}.bias": bias.copy()}
    save_file(tensors, path)
    versions = {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}}
    whole = {"format": FORMAT, **about, "versions": versions, "sha256": _digest(path)}
    beside.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    return path


def read_about(path: Path | str) -> tuple[Path, dict[str, Any]]:
    """What stands beside the weights at ``path``: the path of that, and what it says.

    Raises:
        NetworkFileError: one of the two files is missing, or this one describes no network.
    """
    path, beside = _paths(path)
    for one in (path, beside):
        if not one.is_file():
            raise NetworkFileError(f"{one}: there is no such file")
    try:
        about = json.loads(beside.read_text(encoding="utf-8"))
    except ValueError as error:
        raise NetworkFileError(f"{beside}: this is no JSON: {error}") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        found = about.get("format") if isinstance(about, dict) else about
        raise NetworkFileError(f"{beside}: this describes no network of this kind: expected '{FORMAT}', not {found!r}")
    return beside, about


def read_network(path: Path | str, sizes: Sequence[int], digest: str) -> Network:
    """The network whose weights are at ``path``.

    Args:
        path: of the weights.
        sizes: the widths that it should have, as in :class:`support.games.wild_ones.dqn.network.Network`.
        digest: the sha256 that the file should have, in hexadecimal.

    Raises:
        NetworkFileError: the file is cut off, changed, or of something else.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path, beside = _paths(path)
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise NetworkFileError(f"{path}: this is no safetensors file, or it was cut off: {error}") from None
    if _digest(path) != digest:
        raise NetworkFileError(f"{path}: these are not the weights that {beside.name} describes; their sha256 differs")
    parts = []
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        for name, shape in ((f"layer{number}.weight", (inputs, outputs)), (f"layer{number}.bias", (outputs,))):
            found = tensors.pop(name, None)
            if found is None or found.dtype != np.float32 or found.shape != shape:
                shown = "nothing" if found is None else f"{found.dtype}{list(found.shape)}"
                raise NetworkFileError(f"{path}: {name} must be float32{list(shape)}, not {shown}")
            parts.append(found.ravel())
    if tensors:
        raise NetworkFileError(f"{path}: there is more than the network: {', '.join(sorted(tensors))}")
    weights = np.concatenate(parts)
    if not np.isfinite(weights).all():
        raise NetworkFileError(f"{path}: some weights are not finite")
    return Network(tuple(sizes), weights)


def _paths(path: Path | str) -> tuple[Path, Path]:
    """The file of the weights, and the one that says what they are."""
    path = Path(path)
    if path.suffix != ".safetensors":
        raise NetworkFileError(f"{path}: a network is kept in a file that ends in .safetensors")
    return path, path.with_suffix(".json")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
