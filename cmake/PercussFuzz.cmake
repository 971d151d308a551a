# fuzz/fuzz_<name>.c is one libFuzzer program; tools/fuzz builds and runs them.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "PERCUSS_FUZZ needs clang (libFuzzer): use the preset fuzz")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
    target_include_directories(${name} PRIVATE include src)
    target_link_libraries(${name} PRIVATE percuss_static percuss_flags percuss::dependencies)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
