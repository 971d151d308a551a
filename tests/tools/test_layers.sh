# tools/check_layers passes on the repository and names file and line of each kind of violation.
set -euo pipefail

check=$PERCUSS_SOURCE/tools/check_layers
"$check"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/{base,math,model,cli,extra}

write_tree() { # FILE TEXT: one file under test beside harmless ones
    rm -f "$tree"/src/*/*.[ch]
    printf '#include <math.h>\n#include "percuss/base.h"\n' >"$tree/src/base/status.c"
    printf '#include "base/status.h"\n#include "model/body.h"\n' >"$tree/src/model/body.c"
    printf '#include "percuss/base.h"\n#include "command.h"\n' >"$tree/src/cli/main.c"
    printf '%s' "$2" >"$tree/$1"
}

expect_clean() {
    write_tree "$1" "$2"
    "$check" "$tree" || { echo "false alarm for $1: $2"; exit 1; }
}

expect_violation() { # FILE TEXT LINE
    local output
    write_tree "$1" "$2"
    if output=$("$check" "$tree"); then
        echo "not caught in $1: $2"
        exit 1
    fi
    [[ $output == "$1:$3: "* ]] || { echo "wrong place, expected $1:$3: $output"; exit 1; }
}

expect_clean src/math/cone.h $'#include "math/vector.h"\n#include "base/arena.h"\n'
expect_violation src/math/cone.h $'// cone\n#include "model/body.h"\n' 2
expect_violation src/base/arena.c $'#  include "math/vector.h"\n' 1
expect_violation src/math/cone.c $'\n\n#include "cone.h"\n' 3
expect_violation src/math/cone.c $'#include "../model/body.h"\n' 1
expect_violation src/cli/list.c $'#include "command.h"\n#include "base/context.h"\n' 2
expect_violation src/extra/thing.c $'#include "percuss/base.h"\n' 1
