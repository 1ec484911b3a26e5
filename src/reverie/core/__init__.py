"""Values and pure functions: no disk, clock, network, environment. Best read in this order:

``session`` what was said · ``memory`` what is remembered · ``proposal`` what an extractor suggests and what was refused ·
``gate`` ``redact`` ``trust`` what may be kept · ``merge`` what it replaces · ``frontmatter`` ``index`` ``budget`` ``blocks``
how it looks to a model · ``place`` whose it is · ``recall`` what a prompt needs · ``events`` ``edits`` what was done.
"""
