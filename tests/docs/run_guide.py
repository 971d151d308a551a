"""Runs what a guide tells its readers to type, in the current folder.

usage: run_guide.py GUIDE.md

Blocks of code whose info string has the word `test` count:
    ```yaml test FILE     is written to FILE
    ```sh test            is run by bash; it must succeed
    ```python test        is run by python3; it must succeed
A block ```text right after a run holds lines that its output must have. With `needs NAME`, a block is left
out if percuss has no verb and python3 no module of that name.
"""
import re
import subprocess
import sys

MODULES = {"h5py", "numpy", "percuss"}


def read_blocks(text):
    """(line, info words, text) of the fenced blocks."""
    blocks, start, info, lines = [], 0, None, []
    for number, line in enumerate(text.split("\n"), 1):
        if info is None and line.startswith("```"):
            start, info, lines = number, line[3:].split(), []
        elif info is not None and line.rstrip() == "```":
            blocks.append((start, info, "\n".join(lines) + "\n"))
            info = None
        elif info is not None:
            lines.append(line)
    return blocks


def is_there(name):
    command = ["python3", "-c", f"import {name}"] if name in MODULES else ["percuss", name, "--help"]
    return subprocess.run(command, capture_output=True).returncode == 0


def run_block(kind, text):
    command = ["bash", "-eo", "pipefail", "-c", text] if kind == "sh" else ["python3", "-c", text]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def main():
    guide = sys.argv[1]
    with open(guide, encoding="utf-8") as file:
        blocks = read_blocks(file.read())
    output, count, failures = None, 0, []
    for line, info, text in blocks:
        if info == ["text"] and output is not None:
            for wanted in text.rstrip("\n").split("\n"):
                if wanted not in output.split("\n"):
                    failures.append(f"{guide}:{line}: not in the output: {wanted}\n{output}")
        output = None
        if "test" not in info:
            continue
        if "needs" in info and not is_there(info[info.index("needs") + 1]):
            print(f"{guide}:{line}: left out, no {info[info.index('needs') + 1]}")
        elif info[0] in ("sh", "python"):
            code, output = run_block(info[0], text)
            count += 1
            if code != 0:
                failures.append(f"{guide}:{line}: exit code {code}\n{output}")
        else:
            if not re.fullmatch(r"[\w-]+\.\w+", info[2]):
                sys.exit(f"{guide}:{line}: a file name, not '{info[2]}'")
            with open(info[2], "w", encoding="utf-8") as file:
                file.write(text)
    print("\n".join(failures) or f"{guide}: {count} blocks ran")
    if failures or count == 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
