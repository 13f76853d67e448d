"""One list of versions, and a Makefile that says what is missing."""

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
LOCK = dict(
    line.split("==") for line in (ROOT / "requirements.lock").read_text().splitlines() if line and line[0] != "#"
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_environment_yml_holds_no_version_of_its_own():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *plain, pip = environment["dependencies"]
    assert pip == {"pip": ["-r requirements.lock", "-e ."]}
    python = [word for word in plain if word.startswith("python")]
    assert python == ["python=" + PROJECT["project"]["requires-python"].removeprefix(">=")]
    assert [word for word in plain if "=" in word] == python


def test_the_lock_is_exact_and_covers_every_dependency():
    assert all(re.fullmatch(r"[0-9][0-9a-z.]*", version) for version in LOCK.values()), LOCK
    wanted = PROJECT["project"]["dependencies"] + [r for g in PROJECT["dependency-groups"].values() for r in g]
    for requirement in wanted:
        assert normal(re.match(r"[\w.-]+", requirement)[0]) in LOCK


def test_this_environment_is_the_locked_one():
    for name, version in LOCK.items():
        assert importlib.metadata.version(name).split("+")[0] == version


def make(*words, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(
        ["make", *words], cwd=ROOT, env=environment | variables, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (None, "'no-such-python' was not found"),
        ("case $1 in -V) echo Python 3.9.1;; *) exit 1;; esac", "is Python 3.9.1"),
        ('case "$2" in *version_info*) exit 0;; *) exit 1;; esac', "venv module"),
    ],
)
def test_a_missing_prerequisite_is_one_clear_line(tmp_path, script, message):
    python = tmp_path / "python3"
    if script:
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
    done = make("prerequisites", f"PYTHON={python if script else 'no-such-python'}")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(said) == 1
    assert message in said[0]


def test_missing_git_is_said(tmp_path):
    for tool in ("make", "bash", "sh", "env"):
        (tmp_path / tool).symlink_to(
            subprocess.run(["which", tool], capture_output=True, text=True, check=True).stdout.strip()
        )
    done = make("prerequisites", PATH=str(tmp_path))
    assert done.returncode != 0
    assert "needs git" in done.stderr


def test_help_lists_every_command():
    said = make("help").stdout
    for command in ("book", "test", "serve", "lab", "bench", "clean", "help"):
        assert f"make {command}" in said


def test_serve_says_when_there_is_no_site(tmp_path):
    done = subprocess.run(
        ["make", "-f", str(ROOT / "Makefile"), "serve"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "run 'make book' first" in done.stderr


def test_ci_runs_the_readmes_two_commands():
    script = (ROOT / ".ci/run").read_text()
    assert "set -euo pipefail" in script
    commands = [line for line in script.splitlines() if line.startswith("make")]
    assert commands[:2] == ["make book", "make test"]
    readme = (ROOT / "README.md").read_text()
    assert all(command in readme for command in commands)
    assert sys.version_info >= (3, 11)


def test_what_python_compiles_is_kept_even_where_the_machine_says_otherwise(tmp_path):
    (tmp_path / "more.mk").write_text("shown:\n\t@env\n")
    seen = make("-f", "Makefile", "-f", str(tmp_path / "more.mk"), "shown", PYTHONDONTWRITEBYTECODE="1", ANOTHER="2")
    assert "ANOTHER=2" in seen.stdout.splitlines()
    assert "PYTHONDONTWRITEBYTECODE" not in seen.stdout
