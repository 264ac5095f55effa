#!/usr/bin/env python3
"""Makes the page of one piece, and the policy that lets it run and nothing else: build_page.py PAGE.html POLICY.txt

Style and scripts are put into page.html; the policy names them by their digests, so a browser refuses whatever else
might find its way into the page.
"""
import base64
import hashlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = ("document.js", "page.js")


def text_of(name):
    return (HERE / name).read_text("utf-8")


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    page_file, policy_file = sys.argv[1:]
    style = text_of("page.css")
    script = "\n".join(text_of(name) for name in SCRIPTS)
    if "</script" in script.lower() or "</style" in style.lower():
        raise SystemExit("build_page: a script or the style would end its own element")
    page = text_of("page.html").replace("{{style}}", style).replace("{{script}}", script)
    policy = "; ".join([
        "default-src 'none'", f"script-src {digest(script)}", f"style-src {digest(style)}", "connect-src 'self'",
        "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
    pathlib.Path(page_file).write_text(page, "utf-8")
    pathlib.Path(policy_file).write_text(policy, "utf-8")


if __name__ == "__main__":
    main()
