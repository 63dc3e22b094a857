# SPDX-License-Identifier: Apache-2.0
"""Runs every N-th test of a unittest module, so that a long suite is several tests of ctest.

    python run_part.py MODULE PART/N        PART is 1 to N
"""

import sys
import unittest


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def main(module, part):
    place, count = map(int, part.split("/"))
    sys.path.insert(0, "")
    chosen = list(tests_of(unittest.defaultTestLoader.loadTestsFromName(module)))[place - 1 :: count]
    result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(chosen))
    return 0 if result.wasSuccessful() and chosen else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
