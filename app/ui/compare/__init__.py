"""One prompt, several answers side by side."""
