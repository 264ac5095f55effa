"""The tests' own view of Braidlog: a raw-socket HTTP and SSE client that keeps every byte, and the server as a process.

    wire.py          connections, replies, event streams
    frames.py        one strict reader of server-sent events
    api.py           the runs contract as calls
    chat.py          the chat contract as calls
    conversation.py  the conversation contract as calls
    steps.py         the steps contract as calls
    tasks.py         the tasks contract as calls
    watching.py      the log of a run, and many runs in one stream, as calls
    people.py        users, keys and cookies; a server without --dev and the people on it
    access.py        every route with example requests, and what everybody is told
    ids.py           the spellings of an id
    legal.py         what is a legal stream of each contract
    invariants.py    what must be true of every run, whatever happened to it
    witness.py       what was seen of a run over crashes, and what must therefore be true
    database.py      the database as it is on disk, read without the server
    faultline.py     faults on command inside the server: test/shim
    resources.py     threads, descriptors and memory come back to where they were
    server.py        the real binary: start, stop, kill, restart, measure
    upstream.py      a model provider that does what a script says
    agents.py        agent files for the tests
    documents.py     office documents, honest ones and others
    pages.py         PDFs and pictures, likewise
    waiting.py       wait for a condition, with a deadline
"""
