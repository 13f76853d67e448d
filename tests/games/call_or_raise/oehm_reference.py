"""Daniel Oehm's R program, function by function, for the tests to hold the learner against.

*Q-learning example with Liar's Dice in R* (20 December 2018), the printed functions in the order and with the names of
the document, and deliberately as slow: the table of states is searched from top to bottom whenever a state is looked
up, a round's lists become a data frame, and data frames are bound. States, players and columns count from 1. Nothing
here knows ``support.games.call_or_raise.q_learning``.

What R's random numbers decide comes from a :class:`Script`, the moves of a game that somebody else has played. All that
follows from the rules is computed here, and must agree with the script: the program raises :class:`DisagreementError`
where it would have done something else.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb, floor

import numpy as np

NAMES = ("raise", "call")
"""The columns of Q: ``names(reward)``."""


class DisagreementError(AssertionError):
    """The program would have done something else than the script says."""


class Script:
    """The moves of a game, in order, in place of R's random numbers."""

    def __init__(self, moves):
        self.moves = list(moves)
        self.coins = 0  # decisions that were left to chance

    def pop(self):
        return self.moves.pop(0)

    def start(self):
        return int(self.pop().removesuffix(" opens"))

    def roll(self, count):
        dice = [int(digit) for digit in self.pop()] if count else []
        if len(dice) != count:
            raise DisagreementError(f"{count} dice are rolled, not {dice}")
        return dice

    def coin(self):
        self.coins += 1
        return self.moves[0] == "call"

    def face(self):
        if self.moves[0] == "call":
            raise DisagreementError("the program raises, the script calls")
        return int(self.moves[0].removeprefix("raise "))

    def done(self, action):
        text = "call" if action["action"] == "call" else f"raise {action['dice.value']}"
        scripted = self.pop()
        if text != scripted:
            raise DisagreementError(f"the program decides '{text}', the script '{scripted}'")


@dataclass
class Factor:
    """R's factor: codes from 1 and what they mean."""

    codes: list
    levels: list

    def texts(self):
        return [self.levels[code - 1] for code in self.codes]


def factor(texts):
    levels = sorted(set(texts))
    return Factor([levels.index(text) + 1 for text in texts], levels)


def data_frame(y_ctrl, y_state, y_action, strings_as_factors):
    return {"ctrl": y_ctrl, "state": y_state, "action": factor(y_action) if strings_as_factors else y_action}


def rbind(above, below):
    """Two data frames, one under the other; the levels of a factor are those of the upper one, then the new ones."""
    if not above:
        return below
    bound = {name: above[name] + below[name] for name in ("ctrl", "state")}
    if isinstance(above["action"], Factor):
        levels = above["action"].levels + [x for x in below["action"].levels if x not in above["action"].levels]
        texts = above["action"].texts() + below["action"].texts()
        bound["action"] = Factor([levels.index(text) + 1 for text in texts], levels)
    else:
        bound["action"] = above["action"] + below["action"]
    return bound


def generate_game_states(nplayers, ndice, bin_size=20):
    hands = set(combinations(list(range(ndice + 1)) * nplayers, nplayers))
    pairs = sorted({(sum(hand), hand[0]) for hand in hands if sum(hand) > 0})
    return np.array([(total, p1, j) for total, p1 in pairs for j in range(bin_size + 1)])


def generate_reward_matrix(game_states):
    n = len(game_states)
    reward = np.zeros((n, n))
    game_total, game_p1, _ = game_states.T
    for i in range(n):
        total, p1 = game_total[i], game_p1[i]
        # small penalty for losing a die
        reward[i, (p1 - game_p1 == 1) & (total - game_total == 1) & (game_p1 != game_total)] = -1
        # small reward for others losing a die
        reward[i, (p1 == game_p1) & (total - game_total == 1) & (game_p1 != game_total) & (p1 > 0)] = 1
        # fail states
        if p1 == 1:
            reward[i, (total - game_total == 1) & (game_p1 == 0)] = -10
        # win states
        if total - p1 == 1:
            reward[i, (game_total == p1) & (game_p1 == p1)] = 10
    return reward


def update_q(play, q_mat, reward, alpha=0.1, discount=0.9):
    for k in range(1, len(play["state"])):
        curr_state, prev_state = play["state"][k] - 1, play["state"][k - 1] - 1
        actions = play["action"]
        # A matrix is indexed by a factor's codes, but by the names that characters are.
        column = actions.codes[k] - 1 if isinstance(actions, Factor) else NAMES.index(actions[k])
        q_mat[prev_state][column] = (1 - alpha) * q_mat[prev_state][column] + alpha * (
            reward[prev_state, curr_state] + discount * max(q_mat[curr_state])
        )
    return q_mat


def roll_table_fn(dice):
    return [dice.count(face) for face in range(1, 7)]


def which_max(numbers):
    return numbers.index(max(numbers)) + 1


def calc_prob(total, own, quantity, held, bin_size=20):
    if quantity <= held:
        return 1 * bin_size
    n = total - own
    ks = range(min(quantity - held, n), n + 1)
    return floor(sum(comb(n, k) * (1 / 6) ** k * (5 / 6) ** (n - k) for k in ks) * bin_size)


def true_prob(dice, total_dice, dice_value, dice_quantity):
    """The probability of a raise: 1 less the sum of ``dbinom`` from 0 to what is missing."""
    n = total_dice - len(dice)
    missing = max(dice_quantity - roll_table_fn(dice)[dice_value - 1], 0)
    return 1 - sum(comb(n, k) * (1 / 6) ** k * (5 / 6) ** (n - k) for k in range(missing + 1))


def build_agent(bluffs, method, script, explores):
    """An agent; ``bluffs`` says whether it ever raises to a face drawn at random.

    ``explores`` says whether the script may hold decisions against Q; otherwise they must be those of Q.
    """

    def agent(dice, total_dice, dice_value, dice_quantity, p1_state, q_mat):
        roll_table = roll_table_fn(dice)
        if dice_value is None:
            return {"dice.value": which_max(roll_table), "dice.quantity": max(roll_table) + 1}
        if method == "Q.decide":
            values = q_mat[p1_state - 1]
            if abs(max(values) - min(values)) < 1e-6 or explores:
                call = script.coin()
            else:
                call = NAMES[which_max(values) - 1] == "call"
        elif method == "random":
            call = script.coin()
        elif method == "true.prob":
            prob, call = true_prob(dice, total_dice, dice_value, dice_quantity), script.coin()
            if not call and prob < 1e-9:
                raise DisagreementError(f"raised with probability {prob}")
        if call:
            return {"action": "call", "dice.value": dice_value, "dice.quantity": dice_quantity}
        value = script.face() if bluffs else which_max(roll_table)
        return {"action": "raise", "dice.value": value, "dice.quantity": dice_quantity + 1}

    return agent


def which(game_states, total, p1, prob_cat):
    """Number of the only state that fits."""
    fits = np.flatnonzero((game_states == (total, p1, prob_cat)).all(axis=1)) + 1
    if fits.size != 1:
        raise DisagreementError(f"{fits.size} states have {total} dice, {p1} own and bucket {prob_cat}")
    return int(fits[0])


def liars_dice_round(players, control, player_dice_count, agents, game_states, q_mat, script, strings_as_factors):
    count = [None, *player_dice_count]
    rolls = [None] + [sorted(script.roll(count[x])) for x in range(1, players + 1)]
    total_dice = sum(player_dice_count)
    penalty = [None] + [0] * players
    roll_table = roll_table_fn([die for roll in rolls[1:] for die in roll])

    # initial bid
    agent_action = agents[control](rolls[control], total_dice, None, 0, None, q_mat)
    dice_value, dice_quantity = agent_action["dice.value"], agent_action["dice.quantity"]

    player_dice_qty = rolls[1].count(dice_value)
    prob_cat = calc_prob(total_dice, count[1], dice_quantity, player_dice_qty)
    p1_state = which(game_states, total_dice, count[1], prob_cat)
    p1_action = "raise"
    y_ctrl, y_state, y_action = [], [], []
    prev = control
    control = control % players + 1

    called = False
    while not called:
        if count[control] > 0:
            agent_action = agents[control](rolls[control], total_dice, dice_value, dice_quantity, p1_state, q_mat)
            action = agent_action["action"]
            script.done(agent_action)

            if control == 1:
                player_dice_qty = rolls[1].count(dice_value)
                p1_action = action
                prob_cat = calc_prob(total_dice, count[1], dice_quantity, player_dice_qty)
                p1_state = which(game_states, total_dice, count[1], prob_cat)

            if action == "call":
                if dice_quantity > roll_table[dice_value - 1]:
                    penalty[prev] -= 1
                else:
                    penalty[control] -= 1
                y_ctrl, y_state, y_action = [*y_ctrl, control], [*y_state, p1_state], [*y_action, p1_action]
                prob_cat = calc_prob(total_dice, count[1], dice_quantity, player_dice_qty)
                p1_state = which(game_states, total_dice - 1, count[1] + penalty[1], prob_cat)
                called = True
            else:
                dice_value, dice_quantity = agent_action["dice.value"], agent_action["dice.quantity"]
                prob_cat = calc_prob(total_dice, count[1], dice_quantity, player_dice_qty)
                p1_state = which(game_states, total_dice, count[1], prob_cat)
            y_ctrl, y_state, y_action = [*y_ctrl, control], [*y_state, p1_state], [*y_action, p1_action]
            prev = control
        control = control % players + 1
    return penalty[1:], data_frame(y_ctrl, y_state, y_action, strings_as_factors)


def play_liars_dice(players, num_dice, agents, q_mat, game_states, reward, script, strings_as_factors):
    """The rows of a game and its winner; updates ``q_mat``."""
    ndice = [num_dice] * players
    ctrl = script.start()
    play_df = None
    while sum(dice > 0 for dice in ndice) > 1:
        penalty, play = liars_dice_round(players, ctrl, ndice, agents, game_states, q_mat, script, strings_as_factors)
        for k in range(players):
            ndice[k] += penalty[k]
            if penalty[k] == -1:
                ctrl = k + 1
                while ndice[ctrl - 1] == 0:
                    ctrl = ctrl % players + 1
        play_df = rbind(play_df, play)
    update_q(play_df, q_mat, reward)
    if script.moves:
        raise DisagreementError(f"the game is over before {script.moves}")
    (winner,) = (player for player, dice in enumerate(ndice, 1) if dice > 0)
    return play_df, winner
