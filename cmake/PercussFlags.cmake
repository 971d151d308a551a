# percuss_flags: how every file of the project is compiled. Nothing here reaches a user's project.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_C_FLAGS_RELEASE "-O3 -g -DNDEBUG" CACHE STRING "" FORCE)
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g" CACHE STRING "" FORCE) # assertions stay on
set(CMAKE_C_FLAGS_DEBUG "-O1 -g" CACHE STRING "" FORCE)

add_library(percuss_flags INTERFACE)
target_compile_definitions(percuss_flags INTERFACE _XOPEN_SOURCE=700) # POSIX 2008 beside C11
target_compile_options(percuss_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror=unused-result
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    # Fused multiply-adds where the compiler likes would make the bits depend on the build.
    -ffp-contract=off)
if(PERCUSS_WERROR)
    target_compile_options(percuss_flags INTERFACE -Werror)
endif()
if(PERCUSS_NATIVE)
    target_compile_options(percuss_flags INTERFACE -march=native)
endif()
# Half of the time of a sanitized build goes into checks of pointers before their use, a third of that
# of a run into locals on the heap, which show their use after a return. The address sanitizer sees
# another bad pointer where it is used, so that both are left to `./dev sanitize`.
set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
if(NOT PERCUSS_SANITIZE_POINTERS)
    list(APPEND sanitizers -fno-sanitize=alignment,null,object-size,pointer-overflow)
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
        list(APPEND sanitizers -fsanitize-address-use-after-return=never)
    endif()
endif()
if(PERCUSS_SANITIZE)
    # -g1: their stack traces show files and lines, no variables.
    target_compile_options(percuss_flags INTERFACE ${sanitizers} -fno-omit-frame-pointer -g1)
    target_link_options(percuss_flags INTERFACE ${sanitizers})
endif()
if(PERCUSS_SANITIZE_THREADS)
    target_compile_options(percuss_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer -g1)
    target_link_options(percuss_flags INTERFACE -fsanitize=thread)
endif()
if(PERCUSS_COVERAGE)
    target_compile_options(percuss_flags INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(percuss_flags INTERFACE --coverage)
endif()

# A sanitized program has the runtime and large tables in it; lld links one in a third of the time.
find_program(PERCUSS_LLD ld.lld)
mark_as_advanced(PERCUSS_LLD)
if(PERCUSS_LLD AND PERCUSS_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    target_link_options(percuss_flags INTERFACE -fuse-ld=lld)
endif()
