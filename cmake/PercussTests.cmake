# tests/<kind>/test_<name>.c is one cmocka program, tests/<kind>/test_<name>.sh one bash script. Both
# are known to ctest as <kind>.<name> with the label <kind>; exit code 77 means skipped.
#
# Two things keep `./dev test` short. Tests with the label plain are left out of its sanitizer part:
# they are about pages and scripts, or they are long studies of numbers whose code shorter tests run
# too; `./dev sanitize` runs them all. And long tests start first (COST), so that no core waits at the end.

set(plain_kinds browser docs tools)
set(plain_tests # cli.schemes runs every scheme and integrator on every example with sanitizers
    cli.examples cli.faults cli.killed cli.signals
    convergence.bouncing_ball_order convergence.flexible_order convergence.haddouni_tables convergence.iftomm
    convergence.nonsmooth_alpha_order convergence.smooth_order convergence.smooth_reference
    equivalence.scenes_schemes
    physics.bouncing_ball physics.flexible_benchmarks physics.hybrid_slider_crank physics.singular_positions
    physics.nonsmooth_alpha_woodpecker physics.turns)
# Tests in which several threads work: the thread sanitizer runs them (preset tsan).
set(threaded_tests
    equivalence.determinism solvers.body_sweeps solvers.colouring solvers.large_sweeps solvers.strides
    solvers.sweep_copy unit.block_lu unit.saddle_flexible unit.sparse_cholesky unit.tasks)
set(longest_tests cli.schemes equivalence.scenes_schemes) # half a minute and more
set(long_tests # some seconds
    browser.page cli.compare cli.contact_problems cli.examples cli.faults cli.killed cli.report cli.run cli.signals
    convergence.flexible_order convergence.nonsmooth_alpha_order docs.guide docs.keys docs.manual
    equivalence.determinism equivalence.resume physics.flexible_benchmarks robustness.wrong_runs physics.flexible_schemes
    physics.hybrid_slider_crank physics.impact_on_step physics.mesh_bricks physics.singular_positions
    physics.slip_in_space physics.stacks_rest physics.turns robustness.malformed
    solvers.random_problems unit.sparse_cholesky)

set(test_timeout 1200) # ends what hangs; the clock on the wall, and other work may run beside the tests

function(add_labelled_test kind name) # COMMAND...
    set(labels ${kind})
    if(kind IN_LIST plain_kinds OR "${kind}.${name}" IN_LIST plain_tests)
        list(APPEND labels plain)
    endif()
    if("${kind}.${name}" IN_LIST threaded_tests)
        list(APPEND labels threads)
    endif()
    set(cost 0)
    if("${kind}.${name}" IN_LIST longest_tests)
        set(cost 200)
    elseif("${kind}.${name}" IN_LIST long_tests)
        set(cost 100)
    endif()
    add_test(NAME ${kind}.${name} COMMAND ${ARGN})
    set_tests_properties(${kind}.${name} PROPERTIES
        LABELS "${labels}"
        COST ${cost}
        ENVIRONMENT "${test_environment}"
        SKIP_RETURN_CODE 77
        TIMEOUT ${test_timeout})
endfunction()

pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
find_program(BASH_PROGRAM bash REQUIRED)
find_program(VALGRIND_PROGRAM valgrind)

set(test_environment
    "PERCUSS_SOURCE=${CMAKE_CURRENT_SOURCE_DIR}"
    "PERCUSS_BUILD=${CMAKE_CURRENT_BINARY_DIR}"
    # ctest already fills the cores with tests.
    "OPENBLAS_NUM_THREADS=1"
    "ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1"
    "UBSAN_OPTIONS=print_stacktrace=1")
if(TARGET percuss_program)
    list(APPEND test_environment "PERCUSS=$<TARGET_FILE:percuss_program>")
endif()

# Makes the n-th call of a kind fail (cli.faults): Linux alone, for it lets the kernel catch the calls.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
    add_library(fault_shim MODULE tests/support/preload/fault_shim.c)
    target_link_libraries(fault_shim PRIVATE ${CMAKE_DL_LIBS})
    list(APPEND test_environment "FAULT_SHIM=$<TARGET_FILE:fault_shim>")
endif()

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
add_library(percuss_test_support INTERFACE)
if(support_sources)
    add_library(percuss_test_support_objects STATIC ${support_sources})
    target_include_directories(percuss_test_support_objects PRIVATE include src tests)
    target_link_libraries(percuss_test_support_objects PRIVATE
        percuss_static percuss_flags percuss::dependencies PkgConfig::cmocka)
    target_link_libraries(percuss_test_support INTERFACE percuss_test_support_objects)
endif()

# Tests under valgrind, beside the plain ones; the sanitizers do not see reads of values that were never
# set. With the label valgrind, run by `./dev test`: the unit tests but these, whose time goes into HDF5, cairo,
# dense solutions to compare with and repetitions of the same formulas, and runs of the program that write the
# same files. With the label memcheck, run by `./dev valgrind`: all others.
set(long_unit_tests
    beam_elements contact_slip curve mesh_output plot report_page result result_records saddle_flexible)
function(add_valgrind_test name label) # ARGUMENT... of tools/memcheck
    if(VALGRIND_PROGRAM AND NOT PERCUSS_SANITIZE AND NOT PERCUSS_SANITIZE_THREADS AND NOT PERCUSS_COVERAGE)
        add_test(NAME valgrind.${name}
            COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/tools/memcheck ${ARGN})
        set_tests_properties(valgrind.${name} PROPERTIES
            LABELS ${label}
            ENVIRONMENT "${test_environment}"
            TIMEOUT 3000)
    endif()
endfunction()

# libfclib, the other reader and writer of FCLIB files, where it is installed.
find_path(FCLIB_INCLUDE fclib.h)
find_library(FCLIB_LIBRARY fclib)

file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source IN LISTS test_sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(kind ${folder} NAME)
    get_filename_component(file ${source} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${file})

    add_executable(${kind}_${file} ${source})
    set_target_properties(${kind}_${file} PROPERTIES
        OUTPUT_NAME ${file}
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests/${kind})
    target_include_directories(${kind}_${file} PRIVATE include src tests)
    target_link_libraries(${kind}_${file} PRIVATE
        percuss_test_support percuss_static percuss_flags percuss::dependencies PkgConfig::cmocka)
    if(PERCUSS_LTO AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_link_options(${kind}_${file} PRIVATE -fno-lto)
    endif()
    if(PERCUSS_SANITIZE) # a fifth of the time to compile; nearly all of a run is in the library
        target_compile_options(${kind}_${file} PRIVATE -O0)
    endif()
    if(PERCUSS_SANITIZE_THREADS OR (PERCUSS_SANITIZE AND NOT PERCUSS_SANITIZE_POINTERS))
        target_compile_definitions(${kind}_${file} PRIVATE PERCUSS_FEWER_CASES) # support/family.h
    endif()

    add_labelled_test(${kind} ${name} ${kind}_${file})
    if("${kind}.${name}" IN_LIST threaded_tests)
        list(APPEND threaded_programs ${kind}_${file})
    endif()
    set(label memcheck)
    if(kind STREQUAL "unit" AND NOT name IN_LIST long_unit_tests)
        set(label valgrind)
    endif()
    add_valgrind_test(${kind}.${name} ${label} --memory-only $<TARGET_FILE:${kind}_${file}>)
endforeach()

add_custom_target(threaded_tests DEPENDS ${threaded_programs})

if(FCLIB_INCLUDE AND FCLIB_LIBRARY AND TARGET unit_test_problem_file)
    target_compile_definitions(unit_test_problem_file PRIVATE PERCUSS_HAVE_FCLIB)
    target_include_directories(unit_test_problem_file SYSTEM PRIVATE ${FCLIB_INCLUDE})
    target_link_libraries(unit_test_problem_file PRIVATE ${FCLIB_LIBRARY})
endif()

if(TARGET PkgConfig::percuss_cairo AND TARGET unit_test_plot)
    target_compile_definitions(unit_test_plot PRIVATE PERCUSS_HAVE_CAIRO)
    target_link_libraries(unit_test_plot PRIVATE PkgConfig::percuss_cairo)
endif()

file(GLOB test_scripts CONFIGURE_DEPENDS tests/*/test_*.sh)
foreach(script IN LISTS test_scripts)
    get_filename_component(folder ${script} DIRECTORY)
    get_filename_component(kind ${folder} NAME)
    get_filename_component(file ${script} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${file})
    add_labelled_test(${kind} ${name} ${BASH_PROGRAM} ${script})
    if("${kind}.${name}" STREQUAL "browser.reports") # frame times are measured
        set_tests_properties(${kind}.${name} PROPERTIES RUN_SERIAL ON)
    endif()
endforeach()

# Results with their pages, of a rigid and of a flexible body, with impacts
function(add_valgrind_run model end)
    set(result ${CMAKE_CURRENT_BINARY_DIR}/tests/valgrind_${model})
    set(page)
    if(NOT viewer_reason)
        set(page --report=${result}.html)
    endif()
    add_valgrind_test(program.${model} valgrind $<TARGET_FILE:percuss_program> run
        ${CMAKE_CURRENT_SOURCE_DIR}/examples/${model}.yaml --quiet --end ${end}
        --out ${result}.h5 ${page})
endfunction()
if(TARGET percuss_program)
    add_valgrind_run(bouncing_ball 2)
    add_valgrind_run(oblique_beam 0.06)
endif()
