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
if(PERCUSS_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
    target_compile_options(percuss_flags INTERFACE ${sanitizers} -fno-omit-frame-pointer)
    target_link_options(percuss_flags INTERFACE ${sanitizers})
endif()
if(PERCUSS_COVERAGE)
    target_compile_options(percuss_flags INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(percuss_flags INTERFACE --coverage)
endif()
if(PERCUSS_FUZZ)
    set(sanitizers -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
    target_compile_options(percuss_flags INTERFACE ${sanitizers} -fno-omit-frame-pointer)
    target_link_options(percuss_flags INTERFACE ${sanitizers})
endif()
