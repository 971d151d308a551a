"""The ctypes declarations against the C headers: a change there cannot silently break Python."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import unittest
from ctypes import c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t
from typing import Any, Dict, List, Tuple

from support import SOURCE, FolderTest

from percuss import _library

HEADERS = sorted((SOURCE / "include" / "percuss").glob("*.h"))
TABLES = (_library.LONG_CALLS, _library.SHORT_CALLS, _library.OPTIONAL_CALLS)


def header_text() -> str:
    text = "\n".join(path.read_text() for path in HEADERS)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^\s*#[^\n]*(\\\n[^\n]*)*", "", text, flags=re.M)
    return re.sub(r"\s+", " ", text)


class Layout(FolderTest):
    """Sizes and offsets as a C compiler sees them."""

    def compile_and_run(self, lines: List[str]) -> List[Tuple[str, int]]:
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            self.skipTest("no C compiler")
        source = self.folder / "layout.c"
        includes = "".join(f"#include <percuss/{path.name}>\n" for path in HEADERS)
        body = "\n".join(f'printf("{line} %lld\\n", (long long)({line}));' for line in lines)
        source.write_text(f"#include <stdio.h>\n{includes}int main(void)\n{{\n{body}\n}}\n")
        program = self.folder / "layout"
        command = [compiler, "-std=c11", f"-I{SOURCE / 'include'}", str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        output = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
        pairs = [line.rsplit(" ", 1) for line in output.splitlines()]
        return [(name, int(value)) for name, value in pairs]

    def test_structures(self) -> None:
        expected: Dict[str, int] = {}
        for structure in _library.STRUCTURES:
            name = structure.__name__
            expected[f"sizeof({name})"] = ctypes.sizeof(structure)
            for field, kind in structure._fields_:  # type: ignore[attr-defined]
                expected[f"offsetof({name}, {field})"] = getattr(structure, field).offset
                expected[f"sizeof((({name} *)0)->{field})"] = ctypes.sizeof(kind)
        self.assertEqual(dict(self.compile_and_run(list(expected))), expected)

    def test_enumerations(self) -> None:
        found = dict(self.compile_and_run(list(_library.ENUMERATIONS)))
        self.assertEqual(found, _library.ENUMERATIONS)


class Names(unittest.TestCase):
    """Fields of the structures and prototypes of the functions, from the headers' text."""

    def setUp(self) -> None:
        self.text = header_text()

    def fields(self, name: str) -> List[str]:
        match = re.search(r"typedef struct " + name + r" \{(.*?)\} " + name + ";", self.text)
        self.assertIsNotNone(match, name)
        assert match
        found = []
        for declaration in match.group(1).split(";"):
            for part in declaration.split(","):
                words = re.findall(r"\w+", part.split("[")[0])
                found += words[-1:]
        return found

    def test_fields(self) -> None:
        for structure in _library.STRUCTURES:
            with self.subTest(structure.__name__):
                declared = [field for field, _ in structure._fields_]  # type: ignore[attr-defined]
                self.assertEqual(self.fields(structure.__name__), declared)

    def test_events_are_complete(self) -> None:
        match = re.search(r"typedef enum pcs_event_kind \{(.*?)\}", self.text)
        assert match
        names = [n for n in re.findall(r"PCS_EVENT_\w+", match.group(1)) if "COUNT" not in n]
        self.assertEqual([n for n in _library.ENUMERATIONS if n.startswith("PCS_EVENT_")], names)

    def same(self, c_type: str, declared: Any) -> bool:
        """Whether a ctypes type may stand for a C type."""
        plain = {
            "void": None,
            "bool": c_bool,
            "double": c_double,
            "int": c_int,
            "int32_t": c_int32,
            "int64_t": c_int64,
            "size_t": c_size_t,
            "pcs_body_id": c_int32,
            "pcs_joint_id": c_int32,
            "pcs_mesh_id": c_int32,
            "pcs_system_id": c_int32,
        }
        words = [word for word in re.findall(r"\w+|\*", c_type) if word != "const"]
        stars = words.count("*")
        base = words[0]
        if stars == 0:
            if base in plain:
                return plain[base] is declared
            if re.search(r"typedef enum " + base + r"\b", self.text):
                return declared is c_int
            return getattr(declared, "__name__", "") == base  # a structure by value
        if declared is c_char_p:
            return stars == 1 and base in ("char", "void")
        if declared is ctypes.c_void_p:
            return stars == 1 and base != "char"
        inner = getattr(declared, "_type_", None)  # a typed pointer
        return inner is not None and self.same(" ".join(words[:-1]), inner) or (
            stars == 2 and inner is ctypes.c_void_p
        )

    def test_prototypes(self) -> None:
        for table in TABLES:
            for name, (result, arguments) in table.items():
                pattern = r"PCS_API ((?:const )?\w+ ?\**) ?" + name + r"\(([^)]*)\)"
                match = re.search(pattern, self.text)
                if match is None and table is _library.OPTIONAL_CALLS:
                    continue
                with self.subTest(name):
                    self.assertIsNotNone(match, f"{name} is in no header")
                    assert match
                    self.assertTrue(self.same(match.group(1), result), match.group(1))
                    given = match.group(2).strip()
                    types = [] if given == "void" else given.split(",")
                    self.assertEqual(len(types), len(arguments), given)
                    for c_type, declared in zip(types, arguments):
                        # The last word is the argument's name.
                        c_type = re.sub(r"\w+ ?$", "", c_type.strip())
                        self.assertTrue(self.same(c_type, declared), (c_type, declared))

    def test_status_checked(self) -> None:
        """Every function with a status is declared as such, so that check() sees errors."""
        for table in TABLES:
            for name, (result, _) in table.items():
                if re.search(r"PCS_API pcs_status " + name + r"\(", self.text):
                    self.assertIs(result, c_int, name)


if __name__ == "__main__":
    unittest.main()
