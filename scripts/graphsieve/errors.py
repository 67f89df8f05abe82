"""The one exception that carries a sentence for the user."""

import sys
from collections.abc import Callable


class InputError(ValueError):
    """Something the user supplied is wrong; the message says what, where and what to do."""


def one_line(text: str) -> str:
    """Without line breaks and other signs that a terminal would obey: a message may quote what a file holds."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def quoted(name: object, longest: int = 60) -> str:
    """A name out of a file, as it may stand in a message."""
    name = str(name)
    return f"'{name}'" if len(name) <= longest else f"'{name[:longest]}...'"


def run_program(main: Callable[[], None]) -> None:
    """Run a command-line program: a user's mistake ends in one sentence and exit code 1, not in a traceback."""
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")
