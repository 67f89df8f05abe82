"""The one exception that carries a sentence for the user."""

import sys
from collections.abc import Callable


class InputError(ValueError):
    """Something the user supplied is wrong; the message says what, where and what to do."""


def run_program(main: Callable[[], None]) -> None:
    """Run a command-line program: a user's mistake ends in one sentence and exit code 1, not in a traceback."""
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")
