"""Write requirements.lock: the exact version of everything the book needs, as pip's own resolver finds it.

Run by ``make lock``, in an environment whose pip is 25.1 or newer. Only names and versions are written, so that the
file serves on every platform; what a platform needs besides (CUDA for a GPU build of torch, say) follows from those.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# The exact versions this book is built and tested with, written by `make lock` from pyproject.toml.
# Edit pyproject.toml, not this file.
"""


def main() -> None:
    """Resolve the package and every dependency group together and write the result."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = list(project["project"]["dependencies"])
    for group in project["dependency-groups"].values():
        requirements += group
    # The lock that stands is a constraint unless an upgrade is asked for: a re-lock changes only what it must.
    lock = ROOT / "requirements.lock"
    keep = ["--constraint", str(lock)] if lock.exists() and "--upgrade" not in sys.argv else []
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--ignore-installed",
        "--quiet",
        "--report",
        "-",
    ]
    report = subprocess.run([*command, *keep, *requirements], check=True, capture_output=True, text=True).stdout
    pins = {}
    for item in json.loads(report)["install"]:
        meta = item["metadata"]
        name = meta["name"].lower().replace("_", "-").replace(".", "-")
        if not name.startswith(("nvidia-", "cuda-", "triton")):
            pins[name] = meta["version"].split("+")[0]  # 2.13.0+cpu and 2.13.0 are one release
    lock.write_text(HEADER + "".join(f"{name}=={pins[name]}\n" for name in sorted(pins)), encoding="utf-8")
    print(f"{lock.name}: {len(pins)} packages")


if __name__ == "__main__":
    main()
