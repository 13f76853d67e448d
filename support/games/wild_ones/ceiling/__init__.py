"""Wild ones against fixed opponents, exactly: what a policy is worth, and the best that anybody can do.

In the order in which one needs the other: ``chain`` (of rounds, which depend on nothing but dice, order and opener),
``rounds`` (each unfolded), ``places`` (what fixed policies are worth) and ``ceiling`` (the best).
"""
