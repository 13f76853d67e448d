"""Processes that tests start as if somebody had typed the command."""

import signal


def accept_control_c() -> None:
    """For ``preexec_fn``: what runs in the background of a script ignores Ctrl-C, and so do all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
