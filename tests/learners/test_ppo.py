"""Proximal policy optimisation at our tables: what the learner sees and is paid, and what it learns."""

import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import pytest
import torch
from table_games import odd_one_out, trap

from support.core.flat import unfold
from support.core.interface import DoesNotFitError
from support.core.policy import from_weights
from support.exact.nash_conv_fast import Scorer, normalise
from support.games.biscuits.rules import Biscuits
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame
from support.judge import judge
from support.learners import LearnerError
from support.learners.networks import Dqn, Ppo
from support.learners.ppo import SelfPlay
from support.learners.steady import ADAM, make_steady

SEED = 0xFEDCBA9876543210


def uniform(flat):
    return normalise(flat, np.zeros((1, flat.slots[-1])))


def episodes(tables, steps, policy):
    """Episodes in which the learner plays a policy too: who it was, and its return."""
    draw, found, earned = np.random.default_rng(1), [], np.zeros(tables.num_envs)
    tables.seat_others(policy)
    seen = tables.reset()
    for _ in range(steps):
        masks, seats = np.stack(tables.env_method("action_masks")), tables._seat.copy()
        states = [int(np.flatnonzero((tables.seen == row).all(axis=1))[0]) for row in seen]
        actions = []
        for state, mask in zip(states, masks, strict=True):
            slots = slice(*tables.arrays.slots[state : state + 2])
            assert set(np.flatnonzero(mask)) == set(tables.arrays.numbers[slots])
            actions.append(draw.choice(tables.arrays.numbers[slots], p=policy[slots]))
        seen, rewards, over, _ = tables.step(np.array(actions))
        earned += rewards
        found += [(seats[table], earned[table]) for table in np.flatnonzero(over)]
        earned[over] = 0
    return np.array(found)


@pytest.mark.parametrize(("game", "ante"), [(Kuhn(), 1), (DiceGame(1), 0), (odd_one_out(), 0)], ids=str)
def test_returns_are_those_of_the_game(game, ante):
    """Means of many games lie within four standard errors of the exact ones; what was paid before does not count."""
    flat = unfold(game)
    row = np.random.default_rng(2).uniform(0.1, 1, (1, flat.slots[-1]))
    policy = normalise(flat, row)
    tables = SelfPlay(flat, 50, SEED)
    found = episodes(tables, 120, policy[0])
    one = from_weights(flat, policy[0])
    exact = [judge(one, flat).achieved] if game.num_players == 1 else Scorer(flat).returns(policy)[0]
    assert set(found[:, 0]) == set(range(game.num_players))
    for seat in range(game.num_players):
        returns = found[found[:, 0] == seat, 1]
        assert abs(returns.mean() - ante - float(exact[seat])) < 4 * returns.std() / len(returns) ** 0.5
    assert tables.games == len(found)  # everybody decides in each game
    assert tables.nodes > 2 * tables.games


def test_a_game_without_a_decision_is_no_episode():
    """If the first player takes all biscuits, the second has decided nothing."""
    flat = unfold(Biscuits(1, 1))
    tables = SelfPlay(flat, 20, SEED)
    found = episodes(tables, 40, uniform(flat)[0])
    assert 0 < len(found) < tables.games
    assert set(found[:, 1]) <= {-1, 1}


def test_others_take_what_their_policy_says():
    """If all bet and call whatever they hold, the returns of Kuhn's poker are two; the ante was paid before."""
    flat = unfold(Kuhn())
    bold = np.array([float(flat.label[np.flatnonzero(flat.slot == slot)[0]] != "f") for slot in range(flat.slots[-1])])
    raises = [flat.label[np.flatnonzero(flat.slot == slot)[0]] == "r" for slot in range(flat.slots[-1])]
    for state in range(len(flat.information_states)):
        slots = slice(*flat.slots[state : state + 2])
        if any(raises[slots]):
            bold[slots] = raises[slots]
    assert set(episodes(SelfPlay(flat, 20, SEED), 20, bold)[:, 1]) == {-2 + 1, 2 + 1}


def test_what_the_library_asks_of_tables():
    tables = SelfPlay(unfold(Kuhn()), 3, SEED)
    tables.set_attr("name", "a table")
    assert tables.get_attr("name") == ["a table"] * 3
    assert tables.env_is_wrapped(object) == [False] * 3
    assert tables.observation_space.contains(tables.reset()[0])
    tables.close()


def test_it_learns_and_equal_seeds_learn_the_same():
    """It is far better than uniform play, at each mark that of training so long, and depends on the seed alone."""
    flat, scorer = unfold(Kuhn()), Scorer(unfold(Kuhn()))
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.random.get_rng_state().tolist()  # noqa: NPY002
    curve = Ppo().curve(flat, [1, 2, 6000], SEED)
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.random.get_rng_state().tolist()  # noqa: NPY002
    assert before == after
    policies = normalise(flat, curve.weights)
    assert scorer.nash_convs(policies)[-1] < 0.7 * scorer.nash_convs(uniform(flat))[0]
    assert np.array_equal(curve.weights[0], curve.weights[1])  # in the same rollout
    assert curve.nodes[0] == curve.nodes[1] < curve.nodes[2]
    random.seed(3)
    torch.manual_seed(3)
    alone = Ppo().curve(flat, [2], SEED)
    assert alone.nodes[0] == curve.nodes[1]
    assert np.array_equal(alone.weights[0], curve.weights[1])
    assert not np.array_equal(alone.weights, Ppo().curve(flat, [2], SEED + 1).weights)
    assert (curve.weights > 0).all()
    assert np.add.reduceat(curve.weights, flat.slots[:-1], axis=1) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("marks", [[], [0], [3, 3]])
@pytest.mark.parametrize("learner", [Dqn(), Ppo()])
def test_marks_must_rise(learner, marks):
    with pytest.raises(ValueError, match="marks must rise from at least 1"):
        learner.curve(unfold(Kuhn()), marks, SEED)


def test_games_that_do_not_fit():
    with pytest.raises(DoesNotFitError, match="no end of trap"):
        Ppo().train(trap(), 10, SEED)


def test_nothing_is_left_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    Ppo().curve(unfold(Kuhn()), [1], 1)
    assert not list(tmp_path.iterdir())


def test_without_the_library(monkeypatch):
    monkeypatch.delitem(sys.modules, "support.learners.ppo")
    monkeypatch.delattr("support.learners.ppo")
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(LearnerError, match="ppo needs sb3-contrib, of the dependency group book"):
        Ppo().train(Kuhn(), 10, SEED)


def test_nothing_of_others_is_loaded_before_it_is_needed():
    code = (
        "import sys; from support.learners import learner_named; [learner_named(name) for name in ('dqn', 'ppo')]; "
        "print({'torch', 'sb3_contrib', 'stable_baselines3', 'gymnasium'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_other_kernels_of_a_processor_give_the_same_digits():
    """Without ``steady_torch``, those of SSE4.2 differ from those of a newer Intel processor.

    So do those of AVX-512 from those of AVX2, because the game has more than eight actions.
    """
    code = (
        "from support.core.flat import unfold; from support.games.cups.liars_dice import LiarsDice; import hashlib; "
        "from support.learners.networks import Ppo; "
        "print(hashlib.sha256(Ppo().curve(unfold(LiarsDice(4)), [2], 1).weights).hexdigest())"
    )
    new = {name: text for name, text in os.environ.items() if name not in ("MKL_CBWR", "ATEN_CPU_CAPABILITY")}
    old = new | {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "MKL_CBWR": "AUTO", "ATEN_CPU_CAPABILITY": "avx512"}
    one, other = (
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout
        for env in (new, old)
    )
    assert one == other


def test_square_roots_are_not_mkls(monkeypatch):
    """AMD's processors and Intel's give others there."""
    plain, asked = torch.Tensor.sqrt, []
    monkeypatch.setattr(torch.Tensor, "sqrt", lambda tensor: asked.append(tensor) or plain(tensor))
    some = torch.rand(1000, generator=torch.Generator().manual_seed(1)) + 0.5
    for form, roots in ((ADAM, 0), (ADAM | {"fused": False}, 1)):
        weights = torch.nn.Parameter(torch.zeros(1000))
        adam = torch.optim.Adam([weights], lr=0.5, **form)
        weights.grad = some
        adam.step()
        assert len(asked) == roots
        assert weights.detach().numpy() == pytest.approx(-0.5, rel=1e-4)  # 0.5 g / (sqrt(g g) + eps)
    asked.clear()
    Ppo().curve(unfold(Kuhn()), [1], 1)
    assert not asked


def test_where_digits_are_the_same(monkeypatch):
    """Where MKL is, and the instructions AVX2; and nothing is asked of other processors, which it could harm."""
    asked = {"MKL_CBWR": "COMPATIBLE", "ATEN_CPU_CAPABILITY": "avx2"}
    for mkl, has, steady in (
        (True, {"avx2": True}, True),
        (True, {"avx2": False}, False),
        (False, {"neon": True}, False),
    ):
        monkeypatch.setattr(os, "environ", {})
        monkeypatch.setattr(torch.backends.mkl, "is_available", lambda mkl=mkl: mkl)
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda has=has: has)
        assert make_steady() == steady
        assert os.environ == (asked if steady else {})
