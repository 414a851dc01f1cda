"""From a table to a training run: sources, questions about columns, settings, progress, scorecard."""
