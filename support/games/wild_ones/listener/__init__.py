"""A table that learns wild ones from play alone: a value for all that it may know, and for each action there.

The agent plays whole games against fixed opponents and is told at the end whether it has won. It knows the rules, but
neither what the opponents go by nor any probability. The table has a row for each *information state*: who sits where,
how many dice each of them has left, its own dice, and all bids of the round. Bids rise, so that the set of them tells
their order, and the order tells who made them. The method is Q-learning (Watkins 1989). Three things are chosen:

- *Rounds are linked by their beginnings.* All dice are rolled anew for a round, so that how it began is all that the
  next one depends on: who sits where with how many dice, and who opens. Each beginning has a value of its own, as the
  positions after a move have in games of dice (Sutton and Barto 2018, section 6.8). An action is worth the value of the
  best action at the agent's next decision in the round, or of the next beginning; a beginning, that of the best action
  at the agent's first decision. When a round is over, its decisions are learned from the last to the first.
- *Steps.* The n-th visit moves a value by ``(recency + 1) / (recency + n)`` of the way (Jin et al. 2018), which keeps
  nothing of the first guess and forgets what was learned while later decisions were still bad.
- *Curiosity.* The agent takes the action of the highest ``value + curiosity * sqrt(N) / (n + 1)`` after N visits of the
  row and n of the action (Rosin 2011; Silver et al. 2017); one never taken counts as the best of the others. This needs
  no luck. UCB1's bonus, which grows with the logarithm of N, returns too rarely to what looked bad while the future
  was not learned yet: with three weights that were tried it won 80 to 91 of 100 games after millions of them.

In the order in which one needs the other: ``settings``, ``keys`` (what names an information state), ``row`` (what is
thought of the actions there), ``learned`` (all rows, and their file) and ``learner`` (the games that it learns from).
All of it is the plain counterpart of ``support.games.wild_ones.listener.learner_fast``: the same games, rows and
values, digit for digit.
"""
