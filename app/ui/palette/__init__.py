"""Search as you type: the command palette, and pickers for prompts and resources.

Imports: app.settings, app.ui.style, app.ui.widgets.
"""
