"""A network that learns wild ones by deep Q-learning, as Alexandre Forestier Foray's agent does.

*Learning Liar's dice with deep Q-learning* (2026). One agent plays against fixed policies. A network gives every action
a value; the agent takes the legal action of the highest, or, with a probability that falls over time, any legal one.
What follows on a decision is kept as a *transition*: what the agent saw, what it did, its reward, what it saw next, and
what was legal there. After every ten decisions the network takes one step towards the targets of a batch of
transitions, and a second network, from which the targets come, follows it (Mnih et al. 2015; van Hasselt, Guez and
Silver 2016): slowly, as with Lillicrap et al. (2015), and not by a copy from time to time.

In the order in which one needs the other: ``settings``, ``observations`` (what the network sees), ``network``,
``memory``, ``optimiser`` (the steps), ``files``, ``player`` (a network as a policy) and ``learner`` (the games that it
learns from). Compiled counterparts are ``support.games.wild_ones.dqn.learner_fast`` (games and memory),
``wild_ones_network``
(what is seen and decided) and ``wild_ones_steps``: the same games, transitions and batches from the same random
numbers, and, with the same optimiser, the same weights. The plain optimiser is torch's, which is loaded only for it;
the compiled one differs from it by rounding.
"""
