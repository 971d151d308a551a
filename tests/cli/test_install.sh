# Installs the build under a temporary prefix and builds a small program against that copy: with
# pkg-config and with the CMake package, each against the shared and the static library. Also checks
# what the shared library exports and links, and that each public header stands alone in C and C++.
set -euo pipefail

if grep -qE '^PERCUSS_(SANITIZE|COVERAGE):BOOL=ON' "$PERCUSS_BUILD/CMakeCache.txt"; then
    echo "skipped: instrumented libraries are not for installing"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Installed at one place and then moved, so that no path of the build is relied upon.
cmake --install "$PERCUSS_BUILD" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name libpercuss.a)")
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$PERCUSS_BUILD/CMakeCache.txt")

fail() {
    echo "FAILED: $*"
    exit 1
}

expect_version() { # WHAT COMMAND...
    local what=$1 output
    shift
    output=$("$@") || fail "$what does not run"
    [[ $output == "percuss $version" ]] || fail "$what printed '$output'"
    echo "ok: $what"
}

cat >"$work/main.c" <<'C'
#include <percuss/base.h>
#include <stdio.h>

int main(void)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    if (ctx == NULL)
        return 1;
    printf("percuss %s\n", pcs_version());
    pcs_context_destroy(ctx);
    return 0;
}
C

# pkg-config
export PKG_CONFIG_PATH=$libdir/pkgconfig
[[ $(pkg-config --modversion percuss) == "$version" ]] || fail "version of percuss.pc"
# shellcheck disable=SC2046 # the flags are words
cc -std=c11 "$work/main.c" -o "$work/pc_shared" $(pkg-config --cflags --libs percuss)
expect_version "pkg-config, shared" env LD_LIBRARY_PATH="$libdir" "$work/pc_shared"
mkdir "$work/static"
cp "$libdir/libpercuss.a" "$work/static/" # searched first, so that -lpercuss means this one
# shellcheck disable=SC2046
cc -std=c11 "$work/main.c" -o "$work/pc_static" -L"$work/static" \
    $(pkg-config --static --cflags --libs percuss)
expect_version "pkg-config, static" "$work/pc_static"

# CMake
mkdir "$work/project"
cp "$work/main.c" "$work/project/"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(percuss 0.1 REQUIRED COMPONENTS shared static)
add_executable(user_shared main.c)
target_link_libraries(user_shared PRIVATE percuss::percuss)
add_executable(user_static main.c)
target_link_libraries(user_static PRIVATE percuss::percuss_static)
CMAKE
cmake -S "$work/project" -B "$work/project/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/project/build" >/dev/null
expect_version "CMake, shared" "$work/project/build/user_shared"
expect_version "CMake, static" "$work/project/build/user_static"
readelf -d "$work/project/build/user_shared" | grep -q 'NEEDED.*\[libpercuss\.so\.0\]' ||
    fail "the shared variant does not need libpercuss.so.0"
for program in "$work/pc_static" "$work/project/build/user_static"; do
    if readelf -d "$program" | grep -q 'NEEDED.*libpercuss'; then
        fail "$program needs the shared library"
    fi
done

# Only the public names leave the shared library.
foreign=$(nm -D --defined-only "$libdir/libpercuss.so" | awk '$3 !~ /^pcs_/ { print $3 }')
[[ -z $foreign ]] || fail "exported without the pcs_ prefix: $foreign"
nm -D --defined-only "$libdir/libpercuss.so" | grep -q ' pcs_version$' || fail "pcs_version is hidden"
undeclared=$(nm -D --defined-only "$libdir/libpercuss.so" | awk '{ print $3 }' | while read -r name; do
    grep -rqw "$name" "$prefix/include/percuss" || echo "$name"
done)
[[ -z $undeclared ]] || fail "exported but in no public header: $undeclared"
# Parts of SuiteSparse under the GPL stay out.
if readelf -d "$libdir/libpercuss.so" | grep -E 'NEEDED.*(cholmod|umfpack|spqr)'; then
    fail "a GPL-only part of SuiteSparse is linked"
fi
echo "ok: exports and links"

for header in "$prefix"/include/percuss/*.h; do
    name=percuss/$(basename "$header")
    echo "#include <$name>" |
        cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c - ||
        fail "$name alone in C"
    echo "#include <$name>" |
        c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -x c++ - ||
        fail "$name alone in C++"
done
echo "ok: public headers"

for file in "$prefix/share/man/man1/percuss.1" "$prefix/share/percuss/examples"; do
    [[ -e $file ]] || fail "not installed: ${file#"$prefix"/}"
done
if [[ -n ${PERCUSS:-} ]]; then
    [[ -x $prefix/bin/percuss ]] || fail "the program is not installed"
    "$prefix/bin/percuss" --help >/dev/null || fail "the installed program does not run"
fi
