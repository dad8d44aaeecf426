"""Many requests from a file, answered side by side into a file: `python -m engine batch`.

What is read (`requests`, `openai`), answered (`run`), written and found again after an
interruption (`results`) and told (`progress`, `summary`) are apart; `command` puts them together.
Of the engine only its public face is used.
"""
