"""What is found as one types: the command palette, and the list of prompts.

Imports: app.settings, app.ui.style, app.ui.widgets.
"""
