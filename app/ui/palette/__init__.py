"""Search while typing: the command palette, and the pickers for prompts and resources.

Imports: app.settings, app.ui.style, app.ui.widgets.
"""
