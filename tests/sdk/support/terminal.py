"""Runs a program at a terminal of its own and types what is asked for; prints what the terminal showed, as JSON.

usage: terminal.py <answers as JSON: [[what to wait for, what to type], ...]> <program> <argument>...
"""
import json
import os
import pty
import sys

answers = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
seen = 0
for wanted, typed in answers + [[None, None]]:
    while wanted is None or wanted.encode() not in shown[seen:]:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            part = b""
        if part == b"":
            break
        shown += part
    if wanted is None:
        break
    seen = shown.index(wanted.encode(), seen) + len(wanted)
    os.write(terminal, typed.encode())
_, status = os.waitpid(child, 0)
print(json.dumps({"status": os.waitstatus_to_exitcode(status), "shown": shown.decode("utf-8", "replace")}))
