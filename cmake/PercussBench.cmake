# bench/bench_<name>.c is one benchmark program. bench/peer_<engine>*.c (or .cpp) are the same scenes
# in another engine; they are linked into every benchmark where that engine is installed, which the
# benchmark sees by the macro PERCUSS_PEER_<ENGINE>. bench/support/*.c and the scenes that tests and
# benchmarks share (tests/support) are linked into all; both folders are searched for "support/...",
# so that no name may stand in both.

file(GLOB bench_support CONFIGURE_DEPENDS bench/support/*.c)
list(APPEND bench_support tests/support/mechanisms.c tests/support/scenes.c
    tests/support/contact_problems.c tests/support/elastic_block.c
    tests/support/flexible_scenes.c)
file(GLOB scene_sources CONFIGURE_DEPENDS tests/support/scene_*.c)
list(APPEND bench_support ${scene_sources})
add_library(percuss_bench INTERFACE)
target_include_directories(percuss_bench INTERFACE include src bench tests)
target_link_libraries(percuss_bench INTERFACE percuss_static percuss_flags m)

find_path(MUJOCO_INCLUDE mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
add_library(peer_mujoco_engine INTERFACE)
if(MUJOCO_INCLUDE AND MUJOCO_LIBRARY)
    set(peer_mujoco_FOUND TRUE)
    target_include_directories(peer_mujoco_engine SYSTEM INTERFACE ${MUJOCO_INCLUDE})
    target_link_libraries(peer_mujoco_engine INTERFACE ${MUJOCO_LIBRARY})
endif()
add_library(peer_ode_engine INTERFACE)
pkg_check_modules(peer_ode QUIET IMPORTED_TARGET ode)
if(peer_ode_FOUND)
    target_link_libraries(peer_ode_engine INTERFACE PkgConfig::peer_ode)
endif()

# IDA of SUNDIALS comes without a pkg-config file; its parts are libraries of their own.
find_path(SUNDIALS_INCLUDE ida/ida.h)
find_library(SUNDIALS_IDA_LIBRARY sundials_ida)
find_library(SUNDIALS_VECTOR_LIBRARY sundials_nvecserial)
add_library(peer_sundials_engine INTERFACE)
if(SUNDIALS_INCLUDE AND SUNDIALS_IDA_LIBRARY AND SUNDIALS_VECTOR_LIBRARY)
    set(peer_sundials_FOUND TRUE)
    target_include_directories(peer_sundials_engine SYSTEM INTERFACE ${SUNDIALS_INCLUDE})
    target_link_libraries(peer_sundials_engine INTERFACE
        ${SUNDIALS_IDA_LIBRARY} ${SUNDIALS_VECTOR_LIBRARY} m)
endif()

foreach(engine mujoco ode sundials)
    file(GLOB peer_sources CONFIGURE_DEPENDS bench/peer_${engine}*.c bench/peer_${engine}*.cpp)
    if(NOT peer_${engine}_FOUND)
        message(STATUS "${engine} is not installed: the benchmarks leave out the ratios against it")
    elseif(peer_sources)
        if("${peer_sources}" MATCHES "\\.cpp")
            enable_language(CXX)
        endif()
        add_library(peer_${engine} STATIC ${peer_sources})
        set_target_properties(peer_${engine} PROPERTIES CXX_STANDARD 17)
        target_compile_options(peer_${engine} PRIVATE -O3)
        target_include_directories(peer_${engine} PRIVATE bench)
        target_compile_definitions(peer_${engine} PRIVATE _XOPEN_SOURCE=700)
        target_link_libraries(peer_${engine} PRIVATE peer_${engine}_engine)
        string(TOUPPER ${engine} engine_upper)
        target_compile_definitions(percuss_bench INTERFACE PERCUSS_PEER_${engine_upper}=1)
        target_link_libraries(percuss_bench INTERFACE peer_${engine})
    endif()
endforeach()

add_library(percuss_bench_support OBJECT ${bench_support})
target_link_libraries(percuss_bench_support PRIVATE percuss_bench)

file(GLOB bench_sources CONFIGURE_DEPENDS bench/bench_*.c)
foreach(source IN LISTS bench_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source} $<TARGET_OBJECTS:percuss_bench_support>)
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bench)
    target_link_libraries(${name} PRIVATE percuss_bench)
    if(PERCUSS_LTO AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_link_options(${name} PRIVATE -flto=auto) # as the program users run
    endif()
endforeach()
