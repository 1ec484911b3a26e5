"""How the parts are wired for ``memory``: which hosts' files are meant, which model answers, what a run is made of.

``setup`` what all of it needs · ``sessions`` the transcripts that are meant · ``learning`` a run of learning · ``responding``
what comes after a response · ``recalling`` by which strategy · ``adopting`` what others wrote · ``phases`` the two phases ·
``dreaming`` who dreams · ``models`` which language model, within which caps · ``subagents`` the agents of a place · ``checkup``
the folders that a doctor looks at · ``reports`` answers, and the same for a program.
"""
