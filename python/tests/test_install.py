"""Installing with pip into a folder, and how the library is found."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Dict

from support import EXAMPLES, SOURCE, FolderTest

import percuss

LIBRARY = os.path.realpath(percuss.library_path)
WHO = "import percuss; print(percuss.library_path); print(percuss.__file__)"


def python(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    kept: Dict[str, str] = {
        key: value
        for key, value in os.environ.items()
        if key not in ("PERCUSS_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH")
    }
    kept.update(environment)
    # -P is new in 3.11; the folder of the test must not be searched.
    return subprocess.run(
        [sys.executable, "-c", code], env=kept, cwd="/", capture_output=True, text=True
    )


class Finding(FolderTest):
    def copy_package(self, where: Path) -> Path:
        shutil.copytree(
            SOURCE / "python" / "percuss",
            where / "percuss",
            ignore=shutil.ignore_patterns("__pycache__", "libpercuss*"),
        )
        return where

    def test_environment(self) -> None:
        run = python(WHO, PYTHONPATH=str(SOURCE / "python"), PERCUSS_LIBRARY=LIBRARY)
        self.assertEqual(run.stdout.splitlines()[0], LIBRARY, run.stderr)

    def test_bundled(self) -> None:
        package = self.copy_package(self.folder)
        shutil.copy(LIBRARY, package / "percuss" / "libpercuss.so.0")
        run = python(WHO, PYTHONPATH=str(package))
        self.assertIn(str(package.resolve()), run.stdout.splitlines()[0], run.stderr)

    def test_installed(self) -> None:
        package = self.copy_package(self.folder)
        (self.folder / "lib").mkdir()
        shutil.copy(LIBRARY, self.folder / "lib" / "libpercuss.so.0")
        run = python(WHO, PYTHONPATH=str(package), LD_LIBRARY_PATH=str(self.folder / "lib"))
        self.assertEqual(run.stdout.splitlines()[0], "libpercuss.so.0", run.stderr)

    def test_repository(self) -> None:
        package = self.copy_package(self.folder / "python")
        (self.folder / "include" / "percuss").mkdir(parents=True)
        (self.folder / "include" / "percuss" / "base.h").touch()
        (self.folder / "build" / "release").mkdir(parents=True)
        shutil.copy(LIBRARY, self.folder / "build" / "release" / "libpercuss.so.0")
        if python("import ctypes; ctypes.CDLL('libpercuss.so.0')").returncode == 0:
            self.skipTest("an installed library comes first")
        run = python(WHO, PYTHONPATH=str(package))
        self.assertIn("release", run.stdout.splitlines()[0], run.stderr)

    def test_nothing_found(self) -> None:
        if python("import ctypes; ctypes.CDLL('libpercuss.so.0')").returncode == 0:
            self.skipTest("an installed library comes first")
        run = python(WHO, PYTHONPATH=str(self.copy_package(self.folder)))
        self.assertIn("ImportError: percuss needs its shared library", run.stderr)
        self.assertIn("PERCUSS_LIBRARY", run.stderr)
        self.assertIn("cmake --install", run.stderr)

    def test_wrong_library(self) -> None:
        source = str(SOURCE / "python")
        junk = self.folder / "junk.so"
        junk.write_text("junk")
        for path in (str(self.folder / "nothing.so"), str(junk), "libm.so.6"):
            run = python(WHO, PYTHONPATH=source, PERCUSS_LIBRARY=path)
            self.assertIn("ImportError: PERCUSS_LIBRARY=" + path, run.stderr)

    def test_wrong_version(self) -> None:
        package = self.copy_package(self.folder)
        (package / "percuss" / "_version.py").write_text('VERSION = "99.0.0"\n')
        run = python(WHO, PYTHONPATH=str(package), PERCUSS_LIBRARY=LIBRARY)
        self.assertRegex(run.stderr, r"ImportError: .* has version [\d.]+, the package 99\.0\.0")

    def test_version_is_that_of_the_project(self) -> None:
        text = (SOURCE / "CMakeLists.txt").read_text()
        found = re.search(r"project\(percuss VERSION ([\d.]+)", text)
        assert found
        self.assertEqual(percuss.__version__, found.group(1))
        self.assertEqual(percuss.library_version, found.group(1))


class Pip(FolderTest):
    def test_install_into_a_folder(self) -> None:
        for module in ("pip", "setuptools"):
            if subprocess.run([sys.executable, "-c", f"import {module}"]).returncode:
                self.skipTest(f"{module} is not installed")
        # A copy, because setuptools leaves its build folder beside the sources.
        source, target = self.folder / "source", self.folder / "target"
        ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "tests")
        shutil.copytree(SOURCE / "python", source, ignore=ignored)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
        command += ["--no-deps", "--no-index", "--target", str(target), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((target / "percuss" / "py.typed").is_file())
        self.assertTrue(list(target.glob("percuss-*.dist-info")))
        code = WHO + (
            f"\nsim = percuss.load({str(EXAMPLES / 'bouncing_ball.yaml')!r}).simulate()"
            "\nsim.run()\nprint(sim.statistics.impacts > 5)"
        )
        run = python(code, PYTHONPATH=str(target), PERCUSS_LIBRARY=LIBRARY)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(str(target), run.stdout.splitlines()[1])
        self.assertEqual(run.stdout.splitlines()[2], "True")


if __name__ == "__main__":
    unittest.main()
