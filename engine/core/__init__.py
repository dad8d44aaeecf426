"""What the engine thread has beside it: confined children.

Imports: nothing.
"""
