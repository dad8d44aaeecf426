"""What the engine thread has beside it: confined children, and other ranks.

Imports: nothing.
"""
