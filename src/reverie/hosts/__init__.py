"""Hosts: one dialect per agent, which finds its transcripts and reads them as messages of three voices.

``hooks`` says what each client hands to a hook and takes from one. ``registry`` has the readers by name, and tells whose a file
is. Each host is one file: ``claude_code``, ``qwen_code`` (trees of records), ``codex`` and ``kimi_code`` (lists), ``opencode`` (a
database); ``jsonl`` is the engine under the first four.

What a reading passes over is counted under a name in ``Reading.skipped``:

- not said at all: ``bookkeeping``, ``injected_context``, ``hook_context``, ``recalled_memory``, ``compaction_summary``,
  ``thinking``, ``synthetic_answer``, ``interruption``, ``background_task``, ``not_text``, ``unknown_record``
- said, but not by a person to this agent: ``sub_agent``, ``agent_prompt``, ``agent_message``, ``slash_command``,
  ``local_command``
- said once, written twice: ``duplicate``, ``queue_operation``, ``copied`` (from a session that is there)
- taken back: ``taken_back`` (never handed out), ``taken_back_late`` (handed out by an earlier reading; counted in prompts)
- not finished: ``unfinished_line``, ``unfinished_answer``, ``unfinished_call``
- broken: ``broken_json``, ``invalid_utf8``, ``nul_bytes``, ``not_an_object``, ``too_deep``, ``line_too_long``

and a transcript that cannot be read at all under the names of ``disk`` and ``readonly``: ``permission_denied``, ``not_found``,
``is_a_directory``, ``not_a_plain_file``, ``symlink_loop``, ``dangling_symlink``, ``not_a_database``, ``locked``, ``corrupt``,
``compressed_zstd``, ``broken_compression``, ``file_changed``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.hosts.registry import DIALECTS, find_all, get, recognise

__all__ = ["DIALECTS", "find_all", "get", "recognise"]


def __getattr__(name: str) -> object:
    # A hook needs ``hosts.hooks`` alone: the readers, and what they decode with, are imported by whoever reads.
    if name in __all__:
        from reverie.hosts import registry

        return getattr(registry, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
