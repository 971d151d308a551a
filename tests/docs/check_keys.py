"""What `percuss list --json` says of model files is true: every key is accepted by the reader, every default by
its option; and docs/model-file.md knows every key.

usage: check_keys.py PERCUSS MODEL-FILE-PAGE
"""
import json
import re
import subprocess
import sys

VALUES = {"a number or formula": 1, "a text": "thing", "true or false": True, "a list [...]": [], "a map {key: value}": {},
          "names, each with": {}}
failures = []


def check(program, model):
    """Exit code and message for a model given as a tree; JSON is YAML."""
    with open("model.yaml", "w", encoding="utf-8") as file:
        json.dump(model, file)
    done = subprocess.run([program, "check", "model.yaml"], capture_output=True, text=True)
    return done.returncode, done.stderr.strip()


def base_model():
    return {"dimension": 2, "bodies": {"thing": {"mass": 1, "inertia": 1}}}


def example_value(text):
    """The simplest value of the kinds that the list names."""
    kinds, _, items = text.partition("; each item ")
    first = next(kind for kind in VALUES if kinds.startswith(kind))
    if first == "a list [...]" and items:
        return [VALUES[next(kind for kind in VALUES if items.startswith(kind))]]
    return VALUES[first]


def model_with(path, value):
    """A model in which `path` (NAME: any name, 0: item of a list) has the value."""
    model = base_model()
    node, words = model, ["thing" if word == "NAME" else word for word in path.split(".")]
    for word, following in zip(words, words[1:]):
        empty = [] if following == "0" else {}
        if isinstance(node, list):
            node.append(empty)
            node = node[0]
        else:
            node = node.setdefault(word, empty) if not isinstance(node.get(word), (int, str)) else node
    node[words[-1]] = value
    return model


def check_keys(program, keys):
    owners = set()
    for key in keys:
        code, message = check(program, model_with(key["path"], example_value(key["value"])))
        kinds = key["value"].partition("; each item ")[0]  # the reader may still miss its neighbours
        refused = ["unknown key", f"'{key['key']}' must be {kinds}, not", f"an item of '{key['key']}' must be"]
        if code not in (0, 2) or any(words in message for words in refused):
            failures.append(f"{key['path']}: {message}")
        if not key["help"]:
            failures.append(f"{key['path']} has no help")
        if key["owner"] in owners or key["owner"] == "'simulation'":
            continue
        owners.add(key["owner"])  # a key that is not in the list is refused
        wrong = ".".join(key["path"].split(".")[:-1] + ["quux"])
        code, message = check(program, model_with(wrong, 1))
        if code != 2 or "unknown key 'quux'" not in message:
            failures.append(f"{wrong} was not refused: {message}")


def check_options(program, schemes):
    for scheme in schemes:
        for option in scheme["options"]:
            model = base_model()
            model["simulation"] = {"scheme": scheme["name"], option["key"]: option["default"]}
            code, message = check(program, model)
            if code != 0:
                failures.append(f"default of {option['key']}: {message}")
            model["simulation"][option["key"]] = "quux" if option["type"] == "choice" else option["range"][0] - 1
            code, message = check(program, model)
            if code != 2 or option["key"] not in message:
                failures.append(f"{option['key']} outside its range was not refused: {message}")


def main():
    program, page = sys.argv[1], sys.argv[2]
    lists = json.loads(subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    check_keys(program, lists["keys"])
    check_options(program, lists["schemes"])
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for name in sorted({key["key"] for key in lists["keys"]}):
        if not re.search(rf"\b{name}\b", text):
            failures.append(f"{page} does not know the key {name}")
    for kind in lists["joints"] + lists["contacts"] + lists["shapes"]:
        if f"`{kind['name']}" not in text:
            failures.append(f"{page} does not know {kind['name']}")
    print("\n".join(failures) or f"{len(lists['keys'])} keys accepted")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
