"""The look of the window: colours, sizes, fonts, icons and the style sheet.

Imports: app.chats, app.download, app.language, app.markdown, app.paths, app.tools,
engine.
"""
