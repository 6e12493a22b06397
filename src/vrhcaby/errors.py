"""The exceptions of the package. All are ``ValueError``; each message names what is wrong and where."""

__all__ = ["FormatError", "IllegalMoveError", "PositionError"]


class PositionError(ValueError):
    """A board that the variant does not allow: wrong checker count, two colours on one point, ...

    >>> issubclass(PositionError, ValueError)
    True
    """


class IllegalMoveError(ValueError):
    """A move that the rules do not allow with this position and these dice.

    >>> issubclass(IllegalMoveError, ValueError)
    True
    """


class FormatError(ValueError):
    """A text, an ID or a file that cannot be read.

    >>> issubclass(FormatError, ValueError)
    True
    """
