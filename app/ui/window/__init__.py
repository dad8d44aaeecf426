"""The main window: panes side by side, tabs, layouts, and the commands that act on them."""
