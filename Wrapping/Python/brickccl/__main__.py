# SPDX-License-Identifier: Apache-2.0
"""``python -m brickccl``: the command `brickccl`, and ``big`` for `brickccl.big`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status: 0 if everything was written."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] != ["big"]:
        from brickccl_command import main as run_command

        run_command()
    from brickccl.big._command import parser, run

    chosen = parser().parse_args(words[1:])
    try:
        run(chosen)
    except (ValueError, TypeError, OverflowError, NotImplementedError, OSError, ImportError, MemoryError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
