# Tests of the Python package: python/tests/test_<name>.py is known to ctest as python.<name>. They
# run with Debian's interpreter, which has Debian's numpy; another one in PATH may not.

find_program(PERCUSS_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH
    DOC "Python interpreter with numpy, for the tests of the Python package")
if(NOT PERCUSS_PYTHON)
    message(STATUS "No python3 in /usr/bin: the tests of the Python package are left out")
    return()
endif()

set(python_environment ${test_environment}
    "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/python"
    "PYTHONDONTWRITEBYTECODE=1"
    "PERCUSS_LIBRARY=$<TARGET_FILE:percuss>"
    "CC=${CMAKE_C_COMPILER}")

# The interpreter has no sanitizers, so their runtime is loaded before it. Leaks are not looked for:
# the interpreter does not free all its memory at its end.
if(PERCUSS_SANITIZE)
    execute_process(
        COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
        OUTPUT_VARIABLE sanitizer_runtime
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${sanitizer_runtime}" OR NOT EXISTS "${sanitizer_runtime}")
        message(STATUS "No shared runtime of the sanitizers: the Python tests are left out")
        return()
    endif()
    list(APPEND python_environment
        "LD_PRELOAD=${sanitizer_runtime}"
        "ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0")
endif()

file(GLOB python_tests CONFIGURE_DEPENDS python/tests/test_*.py)
foreach(script IN LISTS python_tests)
    get_filename_component(file ${script} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${file})
    add_test(NAME python.${name} COMMAND ${PERCUSS_PYTHON} -X faulthandler ${script})
    set_tests_properties(python.${name} PROPERTIES
        LABELS python
        ENVIRONMENT "${python_environment}"
        SKIP_RETURN_CODE 77
        TIMEOUT ${test_timeout})
endforeach()
