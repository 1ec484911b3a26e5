"""The ways in. ``cli`` the command line · ``memory_tool`` Anthropic's memory tool. Each imports what it needs and nothing else does."""
