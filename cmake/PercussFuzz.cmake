# fuzz/fuzz_<name>.c is one libFuzzer program; tools/fuzz builds and runs them. The library is compiled
# once more, with the counters that lead libFuzzer to new paths; the tests run without those. What the
# targets share is in fuzz/support/.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang" OR NOT PERCUSS_SANITIZE)
    message(FATAL_ERROR "PERCUSS_FUZZ needs clang (libFuzzer) and the sanitizers: use the preset asan")
endif()
add_library(percuss_fuzz_objects OBJECT ${library_sources} ${viewer_array})
target_include_directories(percuss_fuzz_objects PRIVATE include src)
target_compile_definitions(percuss_fuzz_objects PRIVATE PERCUSS_VERSION="${PROJECT_VERSION}")
target_compile_options(percuss_fuzz_objects PRIVATE -fsanitize=fuzzer-no-link)
target_link_libraries(percuss_fuzz_objects PRIVATE percuss_flags percuss::dependencies)

file(GLOB fuzz_support CONFIGURE_DEPENDS fuzz/support/*.c)
add_library(percuss_fuzz_support OBJECT ${fuzz_support})
target_include_directories(percuss_fuzz_support PRIVATE include src fuzz)
target_link_libraries(percuss_fuzz_support PRIVATE percuss_flags percuss::dependencies)

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source}
        $<TARGET_OBJECTS:percuss_fuzz_objects> $<TARGET_OBJECTS:percuss_fuzz_support>)
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
    target_include_directories(${name} PRIVATE include src fuzz)
    target_link_libraries(${name} PRIVATE percuss_flags percuss::dependencies)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
