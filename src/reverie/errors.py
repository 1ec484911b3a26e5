"""What can go wrong, as one small tree. The docstring says what it means; the message says what, to what, and the way out."""

from __future__ import annotations


class ReverieError(Exception):
    """Something that Reverie was asked to do could not be done; nothing was changed unless the message says so."""


class WrongUse(ReverieError):
    """The request itself was wrong: an unknown design, a date that is none, options that exclude each other."""


class BadSettings(WrongUse):
    """The settings, in the file or the environment, cannot be read, or hold a name or value that cannot be."""


class NotFound(ReverieError):
    """There is no such memory, change, run or file."""


class Ambiguous(ReverieError):
    """The name fits several memories; the message lists them."""


class SecretRefused(ReverieError):
    """The text holds a credential; it was not stored."""


class Refused(ReverieError):
    """A gate refused what the user asked to store; the message names the rule."""


class CommandRefused(ReverieError):
    """A command of the memory tool was not carried out; the message is the answer that the model gets."""


class StoreUnavailable(ReverieError):
    """A store or the database cannot be opened, read or written: permissions, a full disk, a file in the way, a lock."""


class Conflict(ReverieError):
    """A file is no longer what the journal expects, so an undo would overwrite someone's edit."""


class LeaseLost(ReverieError):
    """Another worker has taken this job over; nothing was written."""
