"""Asks the product's own statistics, which are TypeScript, from Python."""

import atexit
import json
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Timer
from typing import Any

HERE = Path(__file__).parent
TSX = HERE.parents[1] / "node_modules" / ".bin" / "tsx"
ANSWER_SECONDS = 120


def ask(name: str, questions: Sequence[Sequence[Any]]) -> list[Any]:
    """Return what the function of that name answers to each list of arguments."""
    asked = [{"name": name, "arguments": list(arguments)} for arguments in questions]
    program = answering()
    assert program.stdin is not None
    assert program.stdout is not None
    late = Timer(ANSWER_SECONDS, program.kill)
    late.start()
    try:
        program.stdin.write(json.dumps(asked, allow_nan=False) + "\n")
        program.stdin.flush()
        answered = program.stdout.readline()
    finally:
        late.cancel()
    answers: list[Any] = json.loads(answered)
    assert len(answers) == len(questions)
    return answers


@cache
def answering() -> subprocess.Popen[str]:
    """Return the program that answers: one for all tests, since it takes a second to start."""
    program = subprocess.Popen([TSX, HERE / "ask.ts"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(program.communicate)
    return program
