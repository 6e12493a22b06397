"""Boards as text and as SVG: pure functions on layouts, which know no position class and load nothing heavy."""

from vrhcaby.drawing import svg, text

__all__ = ["svg", "text"]
