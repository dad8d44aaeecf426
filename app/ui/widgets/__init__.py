"""Small widgets that several parts of the window use.

Imports: app.chats, app.language, app.tools, app.ui.style.
"""
