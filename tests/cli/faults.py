"""Every call of the program that can fail does so, one at a time (tests/support/preload/fault_shim.c).

After each fault: no crash and no hang; every output file is the one that was there before or the new
one; the exit code is that of the run without a fault only if all files and the output are whole, or 3
or 2 with one line on standard error; no temporary file is left, but for the frames of a run that had
stored some (FILE.part, which opens).

usage: faults.py PROGRAM SHIM FOLDER [CALL...]; FAULTS_FULL=1 tries every call, else each case takes at
most FAULTS_TRIES of each kind (an odd stride, printed); FAULTS_CASE=name takes one case alone.
"""
import os
import re
import shutil
import subprocess
import sys

PROGRAM, SHIM, SOURCE = (os.path.realpath(p) for p in sys.argv[1:4])
FULL = os.environ.get("FAULTS_FULL") == "1"
TRIES = int(os.environ.get("FAULTS_TRIES", "3"))
KINDS = sys.argv[4:] or ["malloc", "read", "write", "short", "fsync", "truncate", "rename", "unlink",
                         "mkdir", "open", "close", "cut"]
OLD = b"an older file\n"
WORK = os.path.abspath("run")
PICTURES = (".svg", ".pdf", ".png")
MEASURED = ("compare", "solve", "bench")  # print times, in columns as wide as these
TIME_LIMIT = 60  # for a hang; a run takes a twentieth of a second

# name, arguments, outputs that stood there before, outputs that did not (files, or folders with a /)
CASES = [
    ("run", "run ball.yaml --quiet --end 0.05 --out r.h5 --csv body.ball.position.y --csv-file r.csv "
            "--checkpoint r.chk --report=r.html", ["r.h5", "r.csv", "r.chk", "r.html"], []),
    ("run to stdout", "run ball.yaml --quiet --end 0.05 --no-result --csv body.ball.position.y", [], []),
    ("resume", "run ball.yaml --quiet --end 0.06 --resume start.chk --out r.h5", ["r.h5"], []),
    ("dump", "run ball.yaml --start model --set bodies.ball.position=[0,0.1385] --end 0.01 "
             "--no-result --dump-problems steps --when every\\5 --quiet", [],
     ["steps/step-00000005.hdf5", "steps/step-00000010.hdf5"]),
    ("check", "check ball.yaml", [], []),
    ("static", "static mount.yaml --steps 2 --out s.h5", ["s.h5"], []),
    ("modes", "modes mount.yaml --out m.h5 --csv m.csv", ["m.h5", "m.csv"], []),
    ("info model", "info ball.yaml --signals", [], []),
    ("info result", "info start.h5", [], []),
    ("info checkpoint", "info start.chk", [], []),
    ("list", "list --json", [], []),
    ("plot svg", "plot start.h5 body.ball.position.y -o p.svg", ["p.svg"], []),
    ("plot pdf", "plot start.h5 body.ball.position.y -o p.pdf", ["p.pdf"], []),
    ("plot png", "plot start.h5 body.ball.position.y -o p.png --size 200x120px", ["p.png"], []),
    ("export", "export start.h5 --vtk vtk --every 3 --quiet", [], ["vtk/"]),
    ("report", "report start.h5 -o q.html", ["q.html"], []),
    ("compare", "compare ball.yaml --schemes moreau-jean --steps 1e-2 --reference none --end 0.02 "
                "--repeat 1 -o c", ["c.csv", "c.svg", "c.png"], []),
    ("solve", "solve problem.hdf5 --write w.dat --json", ["w.dat"], []),
    ("solve fclib", "solve problem.dat --write w.hdf5", ["w.hdf5"], []),
    ("bench", "bench solve problem.dat --no-peer --solvers gauss-seidel --tol 1e-4 --repeat 1 "
              "--csv b.csv --svg b.svg", ["b.csv", "b.svg"], []),
]


class Fault:
    def __init__(self, kind, at, always):
        self.kind, self.at, self.always = kind, at, always

    def __str__(self):
        return f"{self.kind} {self.at}{' and later' if self.always else ''}"


def execute(arguments, fault):
    environment = dict(os.environ, LD_PRELOAD=SHIM, FAULT_CALL=fault.kind, FAULT_AT=str(fault.at),
                       FAULT_REPORT=os.path.abspath("count"), OPENBLAS_NUM_THREADS="1")
    if fault.always:
        environment["FAULT_ALWAYS"] = "1"
    command = [PROGRAM] + [a.replace("\\", " ") for a in arguments.split()]
    try:
        return subprocess.run(command, cwd=WORK, env=environment, capture_output=True,
                              timeout=TIME_LIMIT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None


def prepare(outputs):
    shutil.rmtree(WORK, ignore_errors=True)
    os.mkdir(WORK)
    for name in os.listdir(SOURCE):
        os.link(os.path.join(SOURCE, name), os.path.join(WORK, name))
    for name in outputs:
        with open(os.path.join(WORK, name), "wb") as file:
            file.write(OLD)


def files():
    found = {}
    for folder, _, names in os.walk(WORK):
        for name in names:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, WORK)] = path
    return found


def load(path):
    with open(path, "rb") as file:
        return file.read()


def masked(data):
    return re.sub(rb"[-+0-9.eE]+", b"#", data)


def is_whole(name, data, reference):
    """Equal but for measured times, which binary files hold in a few numbers."""
    if data == reference:
        return True
    if name.endswith((".h5", ".hdf5")):
        places = range(0, len(data), 64)
        return len(data) == len(reference) and sum(
            data[i:i + 64] != reference[i:i + 64] for i in places) <= 8
    if name.endswith((".html", ".csv")):
        return masked(data) == masked(reference)
    return name.endswith(PICTURES) and data[-6:] == reference[-6:]  # another font may have been there


class Case:
    def __init__(self, name, arguments, old, new):
        self.name, self.arguments, self.old, self.new = name, arguments, old, new
        self.problems = []

    def is_new(self, name):
        return any(name == n or (n.endswith("/") and name.startswith(n)) for n in self.new)

    def learn(self):
        """The number of calls, and what the program makes without a fault."""
        prepare(self.old)
        before = set(files())
        done = execute(self.arguments, Fault("count", 0, False))
        if done.returncode == 77:
            print("skipped:", done.stderr.decode().strip())
            sys.exit(77)
        if done.returncode not in (0, 1) or done.stderr:
            sys.exit(f"FAILED: {self.name}: {done.returncode} {done.stderr.decode()}")
        self.code, self.out = done.returncode, done.stdout
        self.reference = {n: load(p) for n, p in files().items() if n in self.old or n not in before}
        for name in self.reference:
            if name not in self.old and not self.is_new(name):
                sys.exit(f"FAILED: {self.name}: writes {name}, which its row does not name")
        self.count = dict.fromkeys(KINDS, 0)
        for line in load("count").decode().splitlines():
            kind, number = line.split()
            for counted in (kind, "short" if kind == "write" else "", "" if kind in ("read", "malloc")
                            else "cut"):
                if counted in self.count:
                    self.count[counted] += int(number)

    def complain(self, fault, words, done):
        text = done.stderr.decode(errors="replace").strip() if done else ""
        code = done.returncode if done else "none"
        self.problems.append(f"{self.name}: {fault}: {words} (exit code {code}: {text[:200]!r})")
        print(self.problems[-1], flush=True)

    def judge_files(self, fault, done):
        good = done.returncode == self.code
        present = files()
        for name, reference in self.reference.items():
            data = load(present[name]) if name in present else None
            if not good and name in self.old and data == OLD:
                continue
            if data is not None and is_whole(name, data, reference):
                continue
            if self.name == "bench":  # goes on with the other files, and says so
                continue
            if good:
                self.complain(fault, f"{name} is not whole", done)
            elif name in self.old and data != OLD:
                self.complain(fault, f"{name} is neither old nor new", done)
            elif data is not None and name not in self.old:
                self.complain(fault, f"{name} is half written", done)
        for name in present:
            known = name in self.reference or name in self.old or name in os.listdir(SOURCE)
            if known or fault.kind == "cut" or fault.kind == "unlink":
                continue
            if name.endswith(".h5.part") and self.opens(name):
                continue  # the frames of a run that could not go on
            self.complain(fault, f"{name} is left behind", done)

    def opens(self, name):
        done = subprocess.run([PROGRAM, "info", name], cwd=WORK, capture_output=True)
        return done.returncode == 0 or b"killed before it stored anything" in done.stderr

    def judge(self, fault, done):
        if done is None:
            return self.complain(fault, "hangs", None)
        if fault.kind == "cut" and done.returncode == -9:
            return self.judge_files(fault, done)
        if done.returncode < 0 or done.returncode > 3:
            return self.complain(fault, "crashes", done)
        if self.name == "compare" and done.returncode == 1 and re.search(rb"failed|refused", done.stdout):
            return  # the run that failed is a row with its message
        lines = done.stderr.decode(errors="replace").splitlines()
        failed = done.returncode != self.code
        most = 2 if self.name == "bench" else 1  # a line for each file
        if failed and (not 1 <= len(lines) <= most or not lines[0].startswith("percuss: ")):
            self.complain(fault, "does not say why in one line", done)
        if failed and done.returncode == 1:
            self.complain(fault, "calls the run bad", done)
        same = masked(done.stdout) == masked(self.out)
        if not failed and not same and not self.name.startswith(MEASURED):
            self.complain(fault, "the output is not whole", done)
        self.judge_files(fault, done)

    def sweep(self, kind):
        count = self.count[kind]
        stride = 1 if FULL else max(1, -(-count // TRIES)) | 1
        tried = 0
        for always in ((False, True) if FULL else (False,)):
            for at in range(1 + (0 if FULL else (stride - 1) // 2), count + 1, stride):
                late = always or (not FULL and kind in ("write", "malloc") and tried % 2 == 1)
                fault = Fault(kind, at, late and kind != "cut")
                prepare(self.old)
                self.judge(fault, execute(self.arguments, fault))
                tried += 1
        return count, stride, tried


def main():
    problems, total = [], 0
    for row in CASES:
        if os.environ.get("FAULTS_CASE", row[0]) != row[0]:
            continue
        words, case = [], Case(*row)
        case.learn()
        for kind in KINDS:
            count, stride, tried = case.sweep(kind)
            total += tried
            if count:
                words.append(f"{kind} {count}" + (f"/{stride}" if stride > 1 else ""))
        problems += case.problems
        print(f"{row[0]}: calls/stride: {', '.join(words)}", flush=True)
    print(f"{total} faults, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
