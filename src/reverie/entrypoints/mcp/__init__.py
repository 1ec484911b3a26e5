"""The MCP server, over standard input and output: ``reverie mcp``.

``protocol`` knows the messages, ``server`` reads, answers and never hangs, ``tools`` is what a model can call, ``sources`` what a
client can list besides: resources and prompts. No SDK: a process of the official one takes 2.1 s and 68 MB until its tools are
listed, ours a tenth of each, and a client starts one for every session. The SDK's client is our test of conformance.
"""
