"""How learning goes: ``distances`` from an equilibrium, shares of ``choices``, shares in the course of ``training``.

``decades`` are their axes, and ``ends`` the labels of lines.
"""
