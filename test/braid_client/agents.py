"""Agent files for the tests: one per way to approve, to fail and to hurry. All run on the built-in offline model."""

FILE_TOOLS = ("file_read", "file_list", "file_write", "file_rename")
FAIL_KINDS = ("provider_error", "rate_limit", "timeout", "truncated", "cut_in_args", "bad_args", "unknown_tool",
              "no_usage", "hang", "endless", "empty")


def agent(name, pace="0ms", fail=None, tools=FILE_TOOLS, approval=None, extra=""):
    model = f"provider: offline, pace: {pace}" + (f", fail: {fail}" if fail else "")
    lines = [f"name: {name}", f"description: {name}, for tests", f"model: {{{model}}}",
             "instructions: You are the tests' own agent, code word bluewhale.", "tools:"]
    lines += [f"  - {tool}" for tool in tools]
    if approval:
        lines.append(f"approval: {approval}")
    return "\n".join(lines) + "\n" + extra


def fail_agent(kind):
    return "fail-" + kind.replace("_", "-")


AGENTS = {
    "asks": agent("asks"),
    "auto": agent("auto", approval="{default: auto}"),
    "auto-write": agent("auto-write", approval="{default: ask, tools: {file_write: auto}}"),
    "denies": agent("denies", approval="{default: deny}"),
    "impatient": agent("impatient", approval="{default: ask, timeout: 300ms}"),
    "gives-up": agent("gives-up", approval="{default: ask, on_reject: end}"),
    "counts": agent("counts", tools=("calculator", "current_datetime")),
    "one-step": agent("one-step", extra="max_steps: 1\n"),
    "slow": agent("slow", pace="20ms"),
    "very-slow": agent("very-slow", pace="200ms"),
    **{fail_agent(kind): agent(fail_agent(kind), fail=kind) for kind in FAIL_KINDS},
}
