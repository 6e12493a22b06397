"""Looking ahead: what a position is worth when every roll and the best reply to it have been looked at."""

from vrhcaby.search._look_ahead import look_ahead

__all__ = ["look_ahead"]
