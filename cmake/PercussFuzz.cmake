# fuzz/fuzz_<name>.c is one libFuzzer program; tools/fuzz builds and runs them. The library has the counters
# that lead libFuzzer to new paths, for the tests of the same build too: they cost a tenth of the time, a
# second compilation of the library more. What the targets share is in fuzz/support/.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang" OR NOT PERCUSS_SANITIZE)
    message(FATAL_ERROR "PERCUSS_FUZZ needs clang (libFuzzer) and the sanitizers: use the preset asan")
endif()
target_compile_options(percuss_objects PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table)

file(GLOB fuzz_support CONFIGURE_DEPENDS fuzz/support/*.c)
add_library(percuss_fuzz_support OBJECT ${fuzz_support})
target_include_directories(percuss_fuzz_support PRIVATE include src fuzz)
target_link_libraries(percuss_fuzz_support PRIVATE percuss_flags percuss::dependencies)

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source} $<TARGET_OBJECTS:percuss_fuzz_support>)
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
    target_include_directories(${name} PRIVATE include src fuzz)
    target_link_libraries(${name} PRIVATE percuss_static percuss_flags percuss::dependencies)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
