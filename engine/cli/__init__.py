"""The engine's commands, as `python -m engine COMMAND` runs them."""
