"""Sweeps on a running Dask cluster: a scheduler and workers that this machine runs as any cluster would."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from importlib.util import find_spec
from urllib.request import urlopen

from toy_experiments import Call, Dice, dice, gated, seen, until

from support.__main__ import main
from support.sweep import engine, sweep


def words_for(cluster, log, seeds, folder):
    """The command of a sweep."""
    return [
        *("sweep", "toy_experiments:gated", "--set", f"log={log}", "--set", "number=1", "--seeds", str(seeds)),
        *("--out", str(folder), "--scheduler", cluster.address),
    ]


def test_workers_come_and_go_and_the_digits_stay(tmp_path, log, loopback, capfd):
    plain, nannied = loopback.worker(), loopback.worker(nanny=True)
    settings = [Dice(), Dice(rolls=25, bias=Fraction(2, 3), scale=0.1)]
    for folder, where in (("cluster", {"scheduler": loopback.address}), ("here", {"workers": 0})):
        sweep(dice, settings, (300, 7), root=5, folder=tmp_path / folder, **where)
    whole = (tmp_path / "here/records.parquet").read_bytes()
    assert (tmp_path / "cluster/records.parquet").read_bytes() == whole
    page = f"http://127.0.0.1:{loopback.dashboard()}/status"
    assert (f"dashboard: {page}\n" in capfd.readouterr().err) == (find_spec("bokeh") is not None)
    with urlopen(page) as answer:
        assert (b"Dask needs bokeh" in answer.read()) == (find_spec("bokeh") is None)

    with ThreadPoolExecutor() as pool:
        running = pool.submit(main, words_for(loopback, log, 12, tmp_path / "killed"))
        try:
            until(lambda: len({call.pid for call in seen(log)}) == 2)
            old = {call.pid for call in seen(log)}
            for pid in old:
                os.kill(pid, signal.SIGKILL)
            until(lambda: {call.pid for call in seen(log)} - old, "the nanny starts a new worker")
            assert plain.wait() == -signal.SIGKILL
            assert nannied.poll() is None
            third = loopback.worker()
            until(lambda: third.pid in {call.pid for call in seen(log)}, "a worker that comes later is used")
        finally:
            (log / "go").touch()
        assert running.result() == 0
    sweep(gated, Call(str(log), 1), 12, folder=tmp_path / "alone", workers=0)
    assert (tmp_path / "killed/records.parquet").read_bytes() == (tmp_path / "alone/records.parquet").read_bytes()


def test_a_cluster_that_is_lost_leaves_what_has_ended(tmp_path, log, loopback, monkeypatch, capfd):
    monkeypatch.setattr(engine, "PATIENCE", 2.0)
    monkeypatch.setattr(engine, "RECOUNT", 0.1)
    out = tmp_path / "out"
    assert main(words_for(loopback, log, 4, out)) == 1
    assert f"the scheduler at {loopback.address} has no workers; start some with: dask worker" in capfd.readouterr().err

    monkeypatch.setattr(engine, "PATIENCE", 60.0)
    bare = loopback.worker(bare=True)
    assert main(words_for(loopback, log, 4, out)) == 1
    said = capfd.readouterr().err
    assert "error: the worker at tcp://127.0.0.1:" in said
    assert "cannot import this package (No module named 'support'); install it there too" in said
    bare.kill()

    worker = loopback.worker(threads=2)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(main, words_for(loopback, log, 4, out))
        until(lambda: seen(log))
        monkeypatch.setattr(engine, "PATIENCE", 0.5)
        worker.kill()
        assert running.result() == 1
    assert "there has been no worker for" in capfd.readouterr().err

    monkeypatch.setattr(engine, "PATIENCE", 60.0)
    loopback.worker()
    with ThreadPoolExecutor() as pool:
        began = len(seen(log))
        running = pool.submit(main, words_for(loopback, log, 4, out))
        until(lambda: len(seen(log)) > began)
        loopback.scheduler.kill()
        assert running.result() == 1
    said = capfd.readouterr().err
    assert "the connection to the scheduler was lost; where records are kept, the same sweep goes on from there" in said
    assert "Traceback" not in said
