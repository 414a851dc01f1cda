"""How rules are found: pricing and the column generation loop around it."""

from rugcore.generation.loop import PROVED, ColumnGeneration, Round

__all__ = ["PROVED", "ColumnGeneration", "Round"]
