"""The one exception that carries a sentence for the user."""


class InputError(ValueError):
    """Something the user supplied is wrong; the message says what, where and what to do."""
