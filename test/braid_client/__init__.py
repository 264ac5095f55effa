"""The tests' own view of Braidlog: a raw-socket HTTP and SSE client that keeps every byte, and the server as a process.

    wire.py        connections, replies, event streams
    frames.py      one strict reader of server-sent events
    api.py         the runs contract as calls
    invariants.py  what must be true of every run, whatever happened to it
    server.py      the real binary: start, stop, kill, restart, measure
    agents.py      agent files for the tests
    waiting.py     wait for a condition, with a deadline
"""
