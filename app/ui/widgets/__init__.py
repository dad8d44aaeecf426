"""Small widgets that several parts of the window use.

Imports: app.chats, app.flows, app.language, app.tools, app.ui.style.
"""
