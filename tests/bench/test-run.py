#!/usr/bin/env python3
"""What tests/bench/run says of itself without a measurement: its scenarios, and whether it compares
with async-profiler. A file that is none stands for its library."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run")
sys.dont_write_bytecode = True


def load():
    loader = SourceFileLoader("run", RUN)
    module = module_from_spec(spec_from_loader("run", loader))
    loader.exec_module(module)
    return module


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="parkmeter-bench-test-"))
        self.library = os.path.join(self.folder, "lib", "libasyncProfiler.so")
        self.asprof = os.path.join(self.folder, "bin", "asprof")
        for path in (self.library, self.asprof):
            os.makedirs(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n")
        os.chmod(self.asprof, stat.S_IRWXU)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def ask(self, **environment):
        """--list --json in an environment of nothing else."""
        empty = os.path.join(self.folder, "empty")
        os.makedirs(empty, exist_ok=True)
        return subprocess.run([sys.executable, RUN, "--list", "--json"],
                              env={"PATH": empty, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def answer(self, **environment):
        run = self.ask(**environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_it_lists_its_scenarios(self):
        self.assertIn("tomcat", self.answer()["scenarios"])

    def test_it_says_that_async_profiler_was_not_found(self):
        answer = self.answer()
        self.assertEqual(answer["modes"], ["off", "stopped", "on", "jfr"])
        self.assertIs(answer["async_profiler"]["found"], False)
        self.assertIsNone(answer["async_profiler"]["library"])

    def test_the_environment_names_its_library(self):
        answer = self.answer(ASYNC_PROFILER=self.library)
        self.assertEqual(answer["modes"][-1], "async-profiler")
        self.assertEqual(answer["async_profiler"]["library"], self.library)

    def test_asprof_on_the_path_leads_to_its_library(self):
        link = os.path.join(self.folder, "elsewhere")
        os.makedirs(link)
        os.symlink(self.asprof, os.path.join(link, "asprof"))
        for place in (os.path.dirname(self.asprof), link):
            self.assertEqual(self.answer(PATH=place)["async_profiler"]["library"], self.library)
        os.unlink(self.library)
        self.assertIs(self.answer(PATH=link)["async_profiler"]["found"], False)

    def test_a_library_that_is_not_there_is_an_error(self):
        run = self.ask(ASYNC_PROFILER=self.library + ".1")
        self.assertEqual(run.returncode, 2)
        self.assertIn(self.library + ".1", run.stderr)

    def test_it_is_loaded_for_every_lock(self):
        module = load()
        self.assertEqual(module.async_profiler_flags("/x/libasyncProfiler.so", "/y"),
                         ["-agentpath:/x/libasyncProfiler.so=start,lock=0,jfr,file=/y/on.jfr"])
        bench = module.Bench.__new__(module.Bench)
        bench.async_profiler, bench.folder, bench.recording = "/x/a.so", "/y", "/y/on.park"
        self.assertEqual(bench.flags("async-profiler"),
                         module.async_profiler_flags("/x/a.so", "/y"))


if __name__ == "__main__":
    unittest.main()
