"""The program's settings."""
