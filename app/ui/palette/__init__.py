"""The command palette: commands, chats, models and settings, found as one types.

Imports: app.ui.style, app.ui.widgets.
"""
