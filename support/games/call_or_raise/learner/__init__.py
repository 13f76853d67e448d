"""Q-learning at call or raise, as Daniel Oehm's R program does it and as its text describes it.

*Q-learning example with Liar's Dice in R* (20 December 2018). One agent, the first player, learns when to call and when
to raise; the others follow fixed rules. What the agent sees is a *state* of three numbers: the dice in play, its
own dice, and a bucket of the probability that the bid holds. After each game a table Q of states and actions is
updated along the rows that the game has left behind, one for every move of anybody.

The program differs from its text in places that change numbers.
:class:`support.games.call_or_raise.learner.settings.Slips` has a switch for each.

In the order in which one needs the other: ``states`` (what the agent sees, and what it is rewarded for), ``settings``
(the players, and how the first one learns), ``play`` (a game under way) and ``learner``. All of it is the plain
counterpart of ``support.games.call_or_raise.learner.play_fast``: the same games from the same random numbers.
"""
