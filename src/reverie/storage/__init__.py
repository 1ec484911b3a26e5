"""The only code that touches disk, database and git. Best read in this order:

``home`` opens everything · ``store`` (with ``folder``) one scope's files through a layout · ``journal`` every change,
and the way back (``steps`` ``undoing`` ``history`` are its parts) · ``writing`` ``files`` ``lock`` how bytes reach the
disk · ``database`` ``schema`` ``records`` what is kept beside the memories · ``jobs`` who does what, one of many ·
``extracts`` the sessions, and what phase 1 made of them · ``search`` (``postings`` ``watch``) the derived index · ``git``
``baseline`` repositories.
"""
