"""Reference pages from the program itself (percuss list --json, --help) and from the public headers.

Each function returns the HTML of a page, without its frame. tools/manual puts them in place.
"""
import html
import re

# ---- Small pieces of HTML ----


def slug(text):
    return re.sub(r"[^a-z0-9_ -]", "", text.lower()).strip().replace(" ", "-")


def heading(level, text, anchor=None):
    return f'<h{level} id="{anchor or slug(text)}">{html.escape(text)}</h{level}>\n'


def paragraph(text):
    return f"<p>{html.escape(text)}</p>\n"


def code(text):
    return f"<code>{html.escape(text)}</code>"


def table(columns, rows):
    head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"


# ---- Model files ----


def dimensions(entry):
    return ", ".join({2: "plane", 3: "space"}[d] for d in entry["dimensions"])


def simulation_rows(lists):
    """The scheme's options are keys of `simulation`, too."""
    rows = []
    for scheme in lists["schemes"]:
        for option in scheme["options"]:
            rows.append([code(option["key"]), html.escape(option_range(option)),
                         html.escape(f"{scheme['name']}: {option['help']}; {option_default(option)} if left out")])
    return rows


def keys_page(lists):
    """Every key of the model file, a section for each thing that has keys."""
    owners, where = {}, {}
    for key in lists["keys"]:
        rows = owners.setdefault(key["owner"], {})
        rows.setdefault(key["key"], key)
        prefix = key["path"].rsplit(".", 1)[0] if "." in key["path"] else ""
        where.setdefault(key["owner"], [])
        if prefix and prefix not in where[key["owner"]]:
            where[key["owner"]].append(prefix)
    out = heading(1, "All keys of the model file")
    out += ('<p>This page is made from the tables that the reader of model files uses; '
            f'{code("percuss list keys")} prints the same. <a href="model-file.html">Model files</a> explains '
            'them with examples.</p>\n')
    for owner, rows in owners.items():
        title = owner.strip("'")
        out += heading(2, title[0].upper() + title[1:], slug(title))
        if where[owner]:
            out += "<p>At " + ", ".join(code(p) for p in where[owner]) + ".</p>\n"
        cells = []
        for key in rows.values():
            mark = ' <span class="required">required</span>' if key["required"] else ""
            inside = ""
            if "inside" in key:
                target = key["inside"].strip("'")
                inside = f' <a href="#{slug(target)}">{html.escape(target)}</a>'
            cells.append([f'<span id="{slug(title)}.{key["key"]}">{code(key["key"])}</span>{mark}',
                          html.escape(key["value"]) + inside, html.escape(key["help"])])
        if title == "simulation":
            cells += simulation_rows(lists)
        out += table(["key", "value", "meaning"], cells)
    out += heading(2, "Types of joints")
    out += table(["type", "where", "coordinates (rates)"],
                 [[code(j["name"]), dimensions(j),
                   ", ".join(f'{code(c["name"])} ({code(c["rate"])})' for c in j["coordinates"]) or "none"]
                  for j in lists["joints"]]
                 + [[code("gear"), "plane, space", "couples two angles"],
                    [code("rack"), "plane, space", "couples an angle and a displacement"]])
    out += heading(2, "Types of contacts")
    out += table(["type", "where", "meaning"],
                 [[code(c["name"]), dimensions(c), html.escape(c["help"])] for c in lists["contacts"]])
    out += heading(2, "Shapes")
    out += table(["shape", "as written"],
                 [[code(s["name"]), code(f'{s["name"]}: {s["help"]}')] for s in lists["shapes"]])
    return out


# ---- Schemes and solvers ----

UNBOUNDED = 1e9  # larger limits mean "as much as you like"


def number(value):
    return "%g" % value


def option_default(option):
    return option["default"] if option["type"] == "choice" else number(option["default"])


def option_range(option):
    if option["type"] == "choice":
        return "one of " + ", ".join(option["choices"])
    low, high = option["range"]
    low = low if low is not None and low > -UNBOUNDED else None
    high = high if high is not None and high < UNBOUNDED else None
    if low is not None and high is not None:
        return f"{option['type']} from {number(low)} to {number(high)}"
    if low is not None:
        return f"{option['type']} from {number(low)}"
    return option["type"] if high is None else f"{option['type']} up to {number(high)}"


def options_table(options):
    if not options:
        return paragraph("It has no options.")
    return table(["option", "default", "range", "meaning"],
                 [[code(o["key"]), code(option_default(o)), html.escape(option_range(o)), html.escape(o["help"])]
                  for o in options])


def schemes_page(lists):
    out = heading(1, "Schemes and their options")
    out += ('<p>From the tables of the program. An option is a key of <code>simulation</code> in the model '
            'file, or <code>--set simulation.KEY=VALUE</code>. Which one to take: '
            '<a href="guide/choosing.html">choosing scheme, step and solver</a>.</p>\n')
    for scheme in lists["schemes"]:
        out += heading(2, scheme["name"]) + paragraph(scheme["help"]) + options_table(scheme["options"])
    return out


def solvers_page(lists):
    out = heading(1, "Solvers of contact problems and their options")
    out += ('<p>From the tables of the program. <code>percuss solve FILE --solver NAME --set KEY=VALUE</code>; the '
            'first of each class is the default. Which one to take: <a href="solvers.html">Which solver?</a></p>\n')
    last = None
    for solver in lists["solvers"]:
        kind = solver["class"]
        if kind != last:
            out += heading(2, f"{kind}: {solver['class_meaning']}", slug(kind))
            last = kind
        out += heading(3, solver["name"], slug(f"{kind}-{solver['name']}"))
        out += paragraph(solver["help"]) + options_table(solver["options"])
    return out


# ---- The program ----


def commands_page(general, helps):
    """`helps`: the text of --help for each verb, by name."""
    out = heading(1, "Commands")
    out += ('<p>What the program says of itself. <a href="command-line.html">The program</a> explains it at '
            'length.</p>\n')
    out += f"<pre><code>{html.escape(general)}</code></pre>\n"
    for verb, text in helps.items():
        out += heading(2, f"percuss {verb}", verb) + f"<pre><code>{html.escape(text)}</code></pre>\n"
    return out


# ---- The C headers ----

C_WORDS = {"typedef", "struct", "enum", "const", "static", "inline", "return", "extern", "union"}
C_TYPES = {"void", "int", "double", "bool", "char", "float", "unsigned", "size_t", "int32_t", "int64_t", "uint64_t",
           "uint32_t", "uint8_t"}


class Declaration:
    def __init__(self, text, comment, name, joined):
        self.text, self.comment, self.name = text, comment, name
        self.joined = joined  # stands right below the one before, without a comment of its own


class Section:
    def __init__(self, title):
        self.title, self.parts = title, []  # parts: Declaration, or text of a free comment


def header_body(text):
    """(opening comment, lines between the include guard and its end)."""
    opening, rest = [], text.split("\n")
    while rest and rest[0].startswith("//"):
        opening.append(rest.pop(0)[2:])
    lines, skip = [], False
    for line in rest:
        if line.startswith("#ifdef __cplusplus"):
            skip = True
        elif skip:
            skip = not line.startswith("#endif")
        elif not re.match(r"#(ifndef|define) PERCUSS_\w+_H$|#include|#endif$", line):
            lines.append(line)
    return "\n".join(opening), lines


def declared_name(text):
    """The name that a declaration introduces: of the type, function, enum value or macro."""
    bare = re.sub(r"//[^\n]*", "", text)
    for pattern in (r"#define (\w+)", r"typedef [^;{]*\(\*(\w+)\)", r"}\s*(\w+);", r"typedef [^;{(]*?(\w+);",
                    r"enum \{ (\w+)", r"(\w+)\("):
        found = re.search(pattern, bare)
        if found:
            return found.group(1)
    return None


def is_complete(text):
    bare = re.sub(r"//[^\n]*", "", text).strip()
    if bare.startswith("#"):
        return not bare.endswith("\\")
    if bare.count("{") != bare.count("}") or bare.count("(") != bare.count(")"):
        return False
    return bare.endswith(";") or (bare.endswith("}") and not bare.startswith("typedef"))


def read_header(text):
    """The opening comment and the sections of a header in the house style."""
    opening, lines = header_body(text)
    sections, comment, current, apart = [Section("")], [], "", True
    for line in lines:
        title = re.match(r"// ---- (.*) ----$", line)
        if title and not current:
            sections.append(Section(title.group(1)))
            apart = True
        elif not current and line.startswith("//"):
            comment.append(line[2:])
        elif not current and not line.strip():
            if comment:
                sections[-1].parts.append("\n".join(comment))
            comment, apart = [], True
        elif not current and line.startswith("#") and not line.startswith("#define"):
            continue
        else:
            current = current + "\n" + line if current else line
            if is_complete(current):
                joined = not apart and not comment
                sections[-1].parts.append(Declaration(current, "\n".join(comment), declared_name(current), joined))
                comment, current, apart = [], "", False
    return opening, [s for s in sections if s.parts]


def highlight_c(text, links, own=None):
    """HTML of C code; names in `links` (name -> address) become links, except `own`."""
    out, pattern = [], r'//[^\n]*|"[^"\n]*"|\b\d[\w.]*|\b\w+\b|[^\w"/]+|.'
    for token in re.findall(pattern, text):
        plain = html.escape(token)
        if token.startswith("//"):
            out.append(f'<span class="co">{comment_links(token, links)}</span>')
        elif token.startswith('"'):
            out.append(f'<span class="st">{plain}</span>')
        elif token in C_WORDS:
            out.append(f'<span class="kw">{plain}</span>')
        elif token in C_TYPES:
            out.append(f'<span class="dt">{plain}</span>')
        elif token == own:
            out.append(f'<span class="fu">{plain}</span>')
        elif token in links:
            out.append(f'<a href="{links[token]}">{plain}</a>')
        elif token[0].isdigit():
            out.append(f'<span class="dv">{plain}</span>')
        else:
            out.append(plain)
    return "".join(out)


def comment_links(text, links):
    """Escaped text in which known names and pages of docs/ are links."""
    def link(match):
        word = match.group(0)
        if word.startswith("docs/"):
            return f'<a href="../{word[5:-3]}.html">{word}</a>'
        return f'<a href="{links[word]}">{word}</a>' if word in links else word
    return re.sub(r"docs/[\w/-]+\.md|\b(?:pcs|PCS)_\w+", link, html.escape(text, quote=False))


def comment_html(text, links):
    """A comment: paragraphs, and lines that are indented as they stand."""
    if not text:
        return ""
    out, words, plain = [], [], []

    def end_paragraph():
        if words:
            said = comment_links(" ".join(words), links)
            out.append("<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", said) + "</p>")
        if plain:
            out.append("<pre><code>" + html.escape("\n".join(plain)) + "</code></pre>")
        words.clear()
        plain.clear()

    for line in text.split("\n"):
        if line.startswith("     "):
            if words:
                end_paragraph()
            plain.append(line[5:])
        else:
            if plain or not line.strip():
                end_paragraph()
            if line.strip():
                words.append(line.strip())
    end_paragraph()
    return '<div class="said">' + "".join(out) + "</div>"


def shown(text):
    """A declaration as readers want it: without the marks for the compiler and the linker."""
    text = re.sub(r"\s*\bPCS_MUST_CHECK\b", "", text)
    text = re.sub(r"\bPCS_API\s+", "", text)
    if not text.startswith(("typedef", "enum", "static", "#")) and "//" not in text:
        text = re.sub(r"\s*\n\s+", " ", text)
        if len(text) > 92:  # break at commas, under the first argument
            start = text.index("(") + 1
            lines, line = [], text[:start]
            for argument in re.split(r"(?<=,) ", text[start:]):
                if len(line) + len(argument) > 92 and len(line) > start:
                    lines.append(line.rstrip())
                    line = " " * start
                line += argument + " "
            text = "\n".join(lines + [line.rstrip()])
    return text


def api_names(headers):
    """Address of every public name, seen from a page of the C library."""
    names = {}
    for name, text in headers.items():
        for section in read_header(text)[1]:
            for part in section.parts:
                if not isinstance(part, Declaration) or not part.name:
                    continue
                address = f"{name}.html#{part.name}"
                names.setdefault(part.name, address)
                if "enum" in part.text.split("{")[0]:
                    bare = re.sub(r"//[^\n]*", "", part.text)
                    for value in re.findall(r"\b(PCS_[A-Z0-9_]+)\b", bare):
                        names.setdefault(value, address)
    return names


def grouped(parts):
    """Declarations that belong together in one list; free comments alone."""
    groups = []
    for part in parts:
        if isinstance(part, Declaration) and part.joined and groups and isinstance(groups[-1], list):
            groups[-1].append(part)
        else:
            groups.append([part] if isinstance(part, Declaration) else part)
    return groups


def declaration_html(group, local, placed):
    lines, check = [], False
    for part in group:
        first = part.name and part.name not in placed and local.get(part.name) == "#" + part.name
        anchor = f' id="{part.name}"' if first else ""  # a type may be announced and then defined
        placed.add(part.name)
        check = check or ("PCS_MUST_CHECK" in part.text and part.name != "PCS_MUST_CHECK")
        lines.append(f'<span class="declared"{anchor}>{highlight_c(shown(part.text), local, part.name)}</span>')
    marker = ' <span class="badge">check the status</span>' if check else ""
    text = "\n".join(lines)
    return f'<div class="declaration"><pre><code>{text}</code></pre>{comment_html(group[0].comment, local)}{marker}</div>\n'


def api_page(name, text, names):
    opening, sections = read_header(text)
    local = {n: a.split(".html")[1] if a.startswith(name + ".html") else a for n, a in names.items()}
    placed = set()
    out = f'<h1 id="top">percuss/{name}.h</h1>\n' + comment_html(opening, local)
    for section in sections:
        if section.title:
            out += heading(2, section.title)
        for group in grouped(section.parts):
            if isinstance(group, str):
                out += comment_html(group, local)
            else:
                out += declaration_html(group, local, placed)
    return out


def api_index(headers):
    out = heading(1, "The C library")
    out += ('<p>Made from the headers in <code>include/percuss/</code>. Functions return a '
            '<a href="api/base.html#pcs_status"><code>pcs_status</code></a>: 0 is success, a positive value a usable '
            'result that needs a look, a negative one an error whose text is in the context. Programs link with '
            '<code>-lpercuss</code>, or take the CMake package or the pkg-config file <code>percuss</code>.</p>\n')
    rows = []
    for name, text in headers.items():
        opening, sections = read_header(text)
        first = re.sub(r"\s+", " ", opening.split("\n\n")[0]).strip().split(". ")[0].rstrip(".:") + "."
        rows.append([f'<a href="api/{name}.html"><code>percuss/{name}.h</code></a>', html.escape(first),
                     html.escape(", ".join(s.title for s in sections if s.title))])
    out += table(["header", "what it is for", "sections"], rows)
    names = api_names(headers)
    functions = sorted(n for n in names if n.startswith("pcs_"))
    out += heading(2, "All names")
    out += "<p>" + ", ".join(f'<a href="api/{names[n]}">{n}</a>' for n in functions) + "</p>\n"
    return out
