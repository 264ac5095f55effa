"""What a document asks its reader to do: its fenced blocks, in order, as steps that a test can do.

| block | what it is |
|---|---|
| ```console | lines `$ COMMAND`, each followed by what it prints (nothing: it is not looked at) |
| ```sh | commands alone |
| ```js | a program for Node or a page; a ```text block right behind it is what it prints |
| any, behind `<!-- file: NAME -->` | a file in the reader's folder |
| any, behind `<!-- not run: REASON -->` | nothing for a test |

`<!-- fails -->` before a block says that its last command ends with another code than 0. A line that ends in a backslash goes on
in the next one, and `<<EOF` up to its EOF. A text in these two kinds of blocks that is no such step is an error: nothing that looks
like a command is left out in silence.
"""
import dataclasses
import re

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w-]*)\s*$")
REMARK = re.compile(r"^\s*<!--\s*(file|not run|fails)(?::\s*(.*?))?\s*-->\s*$")
HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
COMMANDS = {"console", "sh", "bash", "shell"}
PROGRAMS = {"js", "javascript", "mjs"}
OTHER_PROGRAMS = {"ts", "typescript", "python", "html"}  # shown, but not as something to do: they need a reason


class DocumentError(Exception):
    pass


@dataclasses.dataclass
class Step:
    line: int
    kind: str  # command, program, file, not run
    text: str
    expected: list = dataclasses.field(default_factory=list)  # lines; empty: whatever it prints
    name: str = ""  # of a file; of a block that is not run: why
    fails: bool = False


@dataclasses.dataclass
class Block:
    line: int  # of its first line of text
    language: str
    lines: list
    remarks: dict
    follows: object = None  # the block right before it, with nothing but blank lines between


def blocks(text):
    """The fenced blocks of a page with the remarks that stand right before them."""
    found, remarks, open_block, last, fence = [], {}, None, None, None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if open_block is not None:
            if match and match.group(2).startswith(fence) and not match.group(3):
                found.append(open_block)
                last, open_block = open_block, None
            else:
                open_block.lines.append(line[open_block.indent:] if line[:open_block.indent].isspace() else line)
            continue
        if match:
            open_block = Block(number + 1, match.group(3), [], remarks, last)
            open_block.indent, fence, remarks = len(match.group(1)), match.group(2), {}
            continue
        remark = REMARK.match(line)
        if remark:
            remarks[remark.group(1)] = (remark.group(2) or "").strip()
        elif line.strip():
            if remarks:
                raise DocumentError(f"line {number}: <!-- {next(iter(remarks))} --> is not followed by a block")
            if re.match(r"^(\t| {4,})\$ ", line):
                raise DocumentError(f"line {number}: a command outside of a fenced block")
            last = None
    if open_block is not None:
        raise DocumentError(f"line {open_block.line}: the block does not end")
    return found


def steps(text):
    found = []
    for block in blocks(text):
        if "not run" in block.remarks:
            if not block.remarks["not run"]:
                raise DocumentError(f"line {block.line}: not run, but why?")
            found.append(Step(block.line, "not run", "\n".join(block.lines), name=block.remarks["not run"]))
        elif "file" in block.remarks:
            found.append(Step(block.line, "file", "\n".join(block.lines) + "\n", name=block.remarks["file"]))
        elif block.language in COMMANDS:
            made = commands(block)
            made[-1].fails = "fails" in block.remarks
            found += made
        elif block.language in PROGRAMS:
            found.append(Step(block.line, "program", "\n".join(block.lines) + "\n"))
        elif block.language in OTHER_PROGRAMS:
            raise DocumentError(f"line {block.line}: a block of {block.language} needs <!-- not run: … --> or <!-- file: … -->")
        elif block.language == "text" and block.follows is not None and block.follows.language in PROGRAMS and found:
            found[-1].expected = block.lines
        elif any(line.startswith("$ ") for line in block.lines):
            raise DocumentError(f"line {block.line}: commands in a block that is not `console`")
    return found


def commands(block):
    """The commands of a block, each a Step with what it prints."""
    prompt = "$ " if block.language == "console" else ""
    found, lines, at = [], block.lines, 0
    while at < len(lines):
        line = lines[at]
        if prompt and not line.startswith(prompt):
            if not found:
                raise DocumentError(f"line {block.line + at}: the block begins with no command")
            found[-1].expected.append(line)
            at += 1
            continue
        if not prompt and (not line.strip() or line.lstrip().startswith("#")):
            at += 1
            continue
        step = Step(block.line + at, "command", line[len(prompt):])
        at += 1
        while step.text.endswith("\\") and at < len(lines):
            step.text += "\n" + lines[at].removeprefix("> " if prompt else "")
            at += 1
        heredoc = HEREDOC.search(step.text)
        while heredoc and at < len(lines):
            line = lines[at].removeprefix("> " if prompt else "")
            step.text += "\n" + line
            at += 1
            if line == heredoc.group(1):
                break
        found.append(step)
    if not found:
        raise DocumentError(f"line {block.line}: no command in the block")
    for step in found:
        while step.expected and not step.expected[-1].strip():
            step.expected.pop()
    return found
