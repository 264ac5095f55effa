"""What must hold for every finished run, read from its frames alone (start first, one end, consent, effects)."""
import re

ULID = "[0-9A-HJKMNP-TV-Z]{26}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\Z")
TERMINAL = ("run_completed", "run_failed", "run_interrupted")
TYPES = ("run_started", "assistant_delta", "tool_call_proposed", "tool_call_approved", "tool_call_rejected",
         "tool_result", *TERMINAL)
ERROR_CODES = ("PROVIDER_ERROR", "PROVIDER_TIMEOUT", "RATE_LIMITED", "UPSTREAM_TRUNCATED", "MAX_STEPS",
               "LIMIT_EXCEEDED", "STORAGE_ERROR", "INTERNAL_ERROR")


def check_prefix(frames, session_id, run_id):
    """Holds at any moment of a run, for what has been seen from its first frame on."""
    assert frames and frames[0].type == "run_started", f"begins with {frames[:1]}"
    event_id = re.compile(f"evt_{run_id.removeprefix('run_')}_[0-9]+\\Z")
    last = ""
    for frame in frames:
        data = frame.data
        assert set(data) >= {"event_id", "session_id", "run_id", "type", "ts", "payload"}, data
        assert frame.type in TYPES, f"unknown type {frame.type}"
        assert data["type"] == frame.type and data["event_id"] == frame.id, f"line and envelope differ: {frame.raw!r}"
        assert data["session_id"] == session_id and data["run_id"] == run_id, data
        assert isinstance(data["payload"], dict), data
        assert TIME.match(data["ts"]), data["ts"]
        assert event_id.match(frame.id), frame.id
        assert len(frame.id) == len(frames[0].id) and frame.id > last, f"{frame.id} after {last}"
        last = frame.id
    assert [f.type for f in frames].count("run_started") == 1
    for frame in frames[:-1]:
        assert frame.type not in TERMINAL, f"{frame.type} is not the last frame"
    check_consent(frames)


def check_consent(frames):
    decided, proposed, results = {}, {}, set()
    for frame in frames:
        payload = frame.payload
        if frame.type == "tool_call_proposed":
            assert payload["approval_id"] not in proposed, "proposed twice"
            assert isinstance(payload["args"], dict) and payload["tool_name"], payload
            proposed[payload["approval_id"]] = payload["tool_name"]
        elif frame.type in ("tool_call_approved", "tool_call_rejected"):
            approval = payload["approval_id"]
            assert approval in proposed, f"a decision about an approval that was never asked for: {payload}"
            assert approval not in decided, f"decided twice: {payload}"
            decided[approval] = frame.type
            if frame.type == "tool_call_rejected":
                assert payload["reason"], payload
        elif frame.type == "tool_result":
            assert set(payload) >= {"tool_name", "success", "result", "tool_call_id"}, payload
            assert isinstance(payload["success"], bool) and isinstance(payload["result"], str), payload
            assert payload["tool_call_id"] not in results, f"a call ran twice: {payload}"
            results.add(payload["tool_call_id"])
            approval = payload.get("approval_id")
            if approval is not None:
                assert decided.get(approval) == "tool_call_approved", f"ran without consent: {payload}"
                assert proposed[approval] == payload["tool_name"], payload
    return proposed, decided


def check_run(frames, session_id, run_id):
    """Holds for the whole stream of a run that has ended."""
    check_prefix(frames, session_id, run_id)
    end = frames[-1]
    assert end.type in TERMINAL, f"no terminal event: {end}"
    assert end.payload["status"] == end.type.removeprefix("run_"), end.payload
    if end.type == "run_failed":
        assert end.payload["error_code"] in ERROR_CODES and end.payload["message"], end.payload
    if end.type == "run_completed":
        assert isinstance(end.payload["final_text"], str), end.payload
    proposed, decided = check_consent(frames)
    assert set(proposed) == set(decided), f"approvals left open at the end: {set(proposed) - set(decided)}"
