"""How rules are found: pricing and the column generation loop around it."""

from rugcore.generation.loop import ColumnGeneration, Round

__all__ = ["ColumnGeneration", "Round"]
