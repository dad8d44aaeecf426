"""Everything that is on screen, one folder for each part of the window.

Imports: nothing.
"""
