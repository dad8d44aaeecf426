"""Benchmarks and screenshots of the window, run by commands without user input."""
