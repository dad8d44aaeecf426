"""Search as the user types: the command palette, and pickers for prompts and resources.

Imports: app.settings, app.ui.style, app.ui.widgets.
"""
