"""Models and tools as processes and servers of their own, which fail on order.

fault_server    a model provider that speaks two protocols and does what a test orders; its requests are judged by
strict          what OpenAI and Anthropic refuse: histories that no provider would take are found here
streams         what models say, as bytes in either protocol
answers         how it goes over the wire: whole, cut at a byte, slowly, refused
five            a run begun in each of the five contracts, and what must hold for it in all of them
aimock          somebody else's model server with chaos (npm: package.json)
recorded        streams that real providers sent, where they are at hand
story_model     a model that plays the part of the crash test, as a process
effect_mcp, effect_http   tools as processes, each of whose effects is a line in a file
"""
