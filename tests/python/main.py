"""A Python client made from divelog's protos alone plays, watches and audits on a real server.

Usage: main.py ADDRESS GENERATED_CODE
"""

import os
import sys

sys.path[:0] = [sys.argv[2]]

import check_errors  # noqa: E402
import check_evidence  # noqa: E402
import check_games  # noqa: E402
import check_kinds  # noqa: E402
import check_log  # noqa: E402
import check_server  # noqa: E402
from table import Table  # noqa: E402

CHECKS = [
    check_server.check_health,
    check_server.check_reflection,
    check_errors.check_refusals,
    check_errors.check_other_errors,
    check_errors.check_repeats,
    check_games.check_games,
    check_kinds.check_kinds,
    check_games.check_changes_are_found,
    check_evidence.check_bundles,
    check_evidence.check_open_draw,
    check_evidence.check_refusals_are_kept,
    check_evidence.check_forks,
    check_evidence.check_checkpoints,
]


def main():
    seed = int(os.environ.get("DIVELOG_PYTHON_SEED") or int.from_bytes(os.urandom(4), "big"))
    print(f"DIVELOG_PYTHON_SEED={seed}")
    table = Table(sys.argv[1], seed)
    check_log.self_test()
    for check in CHECKS:
        check(table)
        print(f"ok: {check.__name__}", flush=True)


main()
