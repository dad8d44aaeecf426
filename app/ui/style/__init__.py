"""Colours, sizes, fonts and icons of the window."""
