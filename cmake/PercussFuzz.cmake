# fuzz/fuzz_<name>.c is one libFuzzer program; tools/fuzz builds and runs them. The files that read
# what a user writes are compiled once more, with the counters that lead libFuzzer to new paths; all
# else is the sanitized library of the tests.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang" OR NOT PERCUSS_SANITIZE)
    message(FATAL_ERROR "PERCUSS_FUZZ needs clang (libFuzzer) and the sanitizers: use the preset asan")
endif()
file(GLOB reading_sources CONFIGURE_DEPENDS
    src/formula/*.c src/geometry/mesh_*.c src/model/builder*.c
    src/io/gmsh_*.c src/io/model_*.c src/io/problem_*.c src/io/schema*.c src/io/yaml_*.c)
add_library(percuss_fuzz_objects OBJECT ${reading_sources})
target_include_directories(percuss_fuzz_objects PRIVATE include src)
target_compile_definitions(percuss_fuzz_objects PRIVATE PERCUSS_VERSION="${PROJECT_VERSION}")
target_compile_options(percuss_fuzz_objects PRIVATE -fsanitize=fuzzer-no-link)
target_link_libraries(percuss_fuzz_objects PRIVATE percuss_flags percuss::dependencies)

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    # The objects come before the library, which then adds only what they leave open.
    add_executable(${name} ${source} $<TARGET_OBJECTS:percuss_fuzz_objects>)
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
    target_include_directories(${name} PRIVATE include src)
    target_link_libraries(${name} PRIVATE percuss_static percuss_flags percuss::dependencies)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
