"""The stories, each a module that reads from top to bottom: ``space`` opens the stores of a design · ``learning`` from
sessions to memories · ``rehearsal`` the same on a copy · ``spoken`` a conversation as a transcript · ``reading`` what a session and a prompt are shown · ``upkeep`` remember, forget, undo, why."""
