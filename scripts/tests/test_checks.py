"""How scripts/test runs, counts and reports its checks."""

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

CHECKS = shlex.quote(str(Path(__file__).resolve().parent.parent / "setup/checks.sh"))


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def start(self, script):
        script = f"set -uo pipefail; source {CHECKS}; building=build built_for=; {script}; run_checks"
        # Where the tests run in the background, a shell has made them ignore Ctrl-C.
        return subprocess.Popen(["bash", "-c", script], cwd=self.root, text=True, start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def run_checks(self, script):
        run = self.start(script)
        output = run.communicate(timeout=60)[0]
        return run.returncode, re.sub(r"\d+ s\b|\d+ min ", "", output)

    def test_counting(self):
        for output, status, expected in [
            ("", 0, "1 0 0"),
            ("error: it does not compile\n", 101, "0 1 0"),
            ("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\n" * 2, 0, "6 0 2"),
            ("test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured\n", 101, "3 2 1"),
            ("test result: ok. 0 passed; 0 failed; 0 ignored\n", 0, "0 0 0"),
            ("     Summary [   0.010s] 1 test run: 1 passed, 0 skipped\n", 0, "1 0 0"),
            ("\033[32;1m     Summary\033[0m [  70.010s] \033[1m30\033[0m tests run: \033[1m25\033[0m passed "
             "(2 slow), \033[1m4\033[0m failed, 1 timed out, 2 skipped\n", 100, "25 5 2"),
            ("Ran 5 tests in 0.1s\n\nOK\n", 0, "5 0 0"),
            ("Ran 5 tests in 0.1s\n\nOK (skipped=1)\n", 0, "4 0 1"),
            ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n", 1, "2 3 0"),
            ("Ran 9 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=3)\n", 1, "3 3 3"),
            ("12 passed, 3 failed\n", 1, "12 3 0"),
            ("12 passed, 0 failed\nthen it crashed\n", 1, "12 1 0"),
            ("skipped: no such tool\n", 0, "0 0 1"),
            ("1 passed, 0 failed\nskipped: advisories\n", 0, "1 0 1"),
        ]:
            done = subprocess.run(["bash", "-c", f"source {CHECKS}; count {status}"], input=output,
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.strip(), expected, output)

    def test_the_sum_is_of_both_lists(self):
        status, output = self.run_checks("""
            checks=(build tests) checks_beside=(words web)
            build() { :; }; tests() { echo "5 passed, 0 failed"; }
            words() { echo "skipped: no dictionary"; }; web() { echo "3 passed, 0 failed"; }""")
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "9 passed, 0 failed, 1 skipped")
        self.assertIn("\nwords skipped: no dictionary\n", output)

    def test_a_failure_in_either_list_is_one_of_the_whole(self):
        for failing in ("build", "web", "docs"):
            status, output = self.run_checks(f"""
                checks=(build) checks_beside=(web docs) built_for=docs
                build() {{ :; }}; web() {{ :; }}; docs() {{ :; }}
                {failing}() {{ echo "it broke"; exit 3; }}""")
            self.assertEqual(status, 1, output)
            self.assertEqual(output.splitlines()[-1], "2 passed, 1 failed, 0 skipped")
            self.assertIn(f"FAILED: {failing}, see target/checks/{failing}.log", output)
            self.assertEqual((self.root / f"target/checks/{failing}.log").read_text(), "it broke\n")

    def test_output_of_one_check_stands_together(self):
        loud = "for i in 1 2 3 4 5; do echo $FUNCNAME $i; sleep 0.05; done"
        status, output = self.run_checks(f"""
            checks=(build tests) checks_beside=(words web)
            build() {{ {loud}; }}; tests() {{ {loud}; }}; words() {{ {loud}; }}; web() {{ {loud}; }}""")
        self.assertEqual(status, 0, output)
        for check in ("build", "tests", "words", "web"):
            lines = "".join(f"{check} {i}\n" for i in range(1, 6))
            self.assertIn(f"=== {check}\n{lines}=== {check}: 1 passed, 0 failed, 0 skipped, \n", output)

    def test_what_needs_the_build_waits_for_it_and_the_rest_does_not(self):
        status, output = self.run_checks("""
            checks=(build tests) checks_beside=(words docs) built_for=docs
            build() { until [[ -e words ]]; do sleep 0.05; done; touch built; }
            tests() { until [[ -e docs ]]; do sleep 0.05; done; }
            words() { touch words; }; docs() { [[ -e built ]] && touch docs; }""")
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-1], "4 passed, 0 failed, 0 skipped")

    def test_an_interrupt_ends_both_lists(self):
        run = self.start("""
            checks=(build) checks_beside=(web)
            build() { touch build; sleep 60; }; web() { echo $BASHPID >web; sleep 60; }""")
        while not (self.root / "build").exists() or not (self.root / "web").exists():
            time.sleep(0.05)
        time.sleep(0.1)
        beside = int((self.root / "web").read_text())
        os.killpg(run.pid, signal.SIGINT) # as Ctrl-C does
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130)
        deadline = time.monotonic() + 10
        while Path(f"/proc/{beside}").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        with self.assertRaises(ProcessLookupError):
            os.kill(beside, 0)


if __name__ == "__main__":
    unittest.main()
