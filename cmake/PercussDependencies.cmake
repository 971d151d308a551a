# percuss::dependencies, the libraries behind Percuss. Used by the build and, installed beside
# percussConfig.cmake, by projects that link the static library.
#
# Of SuiteSparse only KLU, BTF, AMD, COLAMD and the common configuration are used (LGPL or BSD).
# CHOLMOD, UMFPACK and SPQR have parts under the GPL and must not be added here.
# Sets percuss_dependencies_missing to what was not found; fatal only in the build itself.

set(percuss_dependencies_missing)

find_package(PkgConfig QUIET)
find_package(Threads QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(percuss_openblas QUIET IMPORTED_TARGET openblas)
    pkg_check_modules(percuss_lapacke QUIET IMPORTED_TARGET lapacke)
    pkg_check_modules(percuss_yaml QUIET IMPORTED_TARGET yaml-0.1)
    pkg_check_modules(percuss_zlib QUIET IMPORTED_TARGET zlib)
    pkg_check_modules(percuss_arpack QUIET IMPORTED_TARGET arpack)
    pkg_search_module(percuss_hdf5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
endif()
foreach(module openblas lapacke yaml hdf5 zlib arpack)
    if(NOT percuss_${module}_FOUND)
        list(APPEND percuss_dependencies_missing ${module})
    endif()
endforeach()

find_path(percuss_suitesparse_include klu.h PATH_SUFFIXES suitesparse)
mark_as_advanced(percuss_suitesparse_include)
if(NOT percuss_suitesparse_include)
    list(APPEND percuss_dependencies_missing klu.h)
endif()
set(percuss_suitesparse_libraries)
foreach(library klu btf amd colamd suitesparseconfig)
    find_library(percuss_${library}_library ${library})
    mark_as_advanced(percuss_${library}_library)
    if(percuss_${library}_library)
        list(APPEND percuss_suitesparse_libraries ${percuss_${library}_library})
    else()
        list(APPEND percuss_dependencies_missing ${library})
    endif()
endforeach()

if(percuss_dependencies_missing)
    if(PROJECT_NAME STREQUAL "percuss")
        list(JOIN percuss_dependencies_missing ", " missing)
        message(FATAL_ERROR "Not found: ${missing}. On Debian: ./dev setup")
    endif()
elseif(NOT TARGET percuss::dependencies)
    add_library(percuss::dependencies INTERFACE IMPORTED)
    target_include_directories(percuss::dependencies SYSTEM INTERFACE
        ${percuss_suitesparse_include})
    target_link_libraries(percuss::dependencies INTERFACE
        PkgConfig::percuss_lapacke PkgConfig::percuss_openblas PkgConfig::percuss_hdf5
        PkgConfig::percuss_yaml PkgConfig::percuss_zlib PkgConfig::percuss_arpack ${percuss_suitesparse_libraries}
        Threads::Threads m)
endif()
