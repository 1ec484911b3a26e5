"""The stories, each a module that reads from top to bottom.

``space`` opens the stores of a design · ``hearing`` what of a transcript was meant to be kept · ``learning`` from sessions to
memories · ``spoken`` a conversation as a transcript · ``rehearsal`` the same on a copy · ``reading`` what a session and a
prompt are shown · ``upkeep`` remember, forget, undo, why · ``filing`` a store as plain files, for an agent with a
memory tool.
"""
