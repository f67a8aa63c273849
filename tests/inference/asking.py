"""Asks the product's own statistics, which are TypeScript, from Python."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TSX = HERE.parents[1] / "node_modules" / ".bin" / "tsx"


def ask(name: str, questions: Sequence[Sequence[Any]]) -> list[Any]:
    """Return what the function of that name answers to each list of arguments."""
    asked = [{"name": name, "arguments": list(arguments)} for arguments in questions]
    answered = subprocess.run(
        [TSX, HERE / "ask.ts"],
        input=json.dumps(asked, allow_nan=False),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
    )
    answers: list[Any] = json.loads(answered.stdout)
    assert len(answers) == len(questions)
    return answers
