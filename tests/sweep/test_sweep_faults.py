"""The campaign of faults, short: the long one is the command that the page *Scaling* names."""

import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from toy_cluster import ENVIRONMENT, ROOT

from tools import faults


def test_a_few_faults_leave_the_records_of_an_undisturbed_run(tmp_path):
    words = "-m", "tools.faults", "--faults", "5", "--seed", "2"
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert re.search(r"^\| all \| 5 \| \d+ \|$", done.stdout, re.M)
    assert re.search(
        r"\d sweeps? ended with the records of an undisturbed run, byte for byte; 0 broke the rule", done.stdout
    )


@pytest.fixture
def campaign():
    made = object.__new__(faults.Campaign)
    made.broken, made._said = [], print
    return made


@pytest.mark.parametrize(
    ("status", "errors", "fine"),
    [
        (0, "", True),
        (0, "dashboard: http://127.0.0.1:1/status\nthe worker at tcp://127.0.0.1:2 differs\n", True),
        (1, "error: the connection was lost\n", True),
        (130, "\ninterrupted: stopped after 3 of 8 tasks\n", True),
        (-signal.SIGKILL, "error: the conn", True),
        (-signal.SIGINT, "error: the connection was lost\n", True),
        (-signal.SIGINT, "", False),
        (0, "Task exception was never retrieved\n", False),
        (1, "", False),
        (1, "error: one\nerror: two\n", False),
        (1, "error: one\nTraceback (most recent call last):\n", False),
        (130, "\ninterrupted\n", False),
        (-signal.SIGKILL, "Traceback (most recent call last):\n", False),
        (-signal.SIGSEGV, "", False),
    ],
)
def test_what_a_driver_may_say_and_how_it_may_end(campaign, status, errors, fine):
    campaign._judged(SimpleNamespace(returncode=status, communicate=lambda: ("", errors)), "kill worker")
    assert (not campaign.broken) == fine


def test_other_records_than_those_of_an_undisturbed_run_break_the_rule(campaign, tmp_path):
    campaign.sweeps, campaign._expected, records = 0, b"as they should be", tmp_path / "records.parquet"
    records.write_bytes(campaign._expected)
    campaign._compare(records, "kill worker")
    assert campaign.broken == []
    records.write_bytes(b"as they should not be")
    campaign._compare(records, "kill worker")
    assert campaign.broken == ["other records than those of an undisturbed run, after: kill worker"]
    assert campaign.sweeps == 2
