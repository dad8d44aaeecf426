"""What is found as one types: the command palette, and the list of prompts.

Imports: app.ui.style, app.ui.widgets.
"""
