"""How a store looks on disk: bytes <-> memories, and nothing else.

``claude_code`` and ``qwen_code`` keep one file a memory, ``codex`` a handbook. A layout never touches the disk: it is handed a
folder as a mapping and answers with the bytes that should be there. The store (``reverie.storage``) reads, locks, writes and
journals.
"""
