# Siconos' numerics (Apache-2.0) as a peer of `percuss bench solve`: linked into the program alone, and
# only where it is installed. The library never needs it.

if(PERCUSS_SICONOS AND NOT PERCUSS_SANITIZE)
    find_path(SICONOS_INCLUDE SiconosConfig.h PATH_SUFFIXES siconos)
    find_library(SICONOS_NUMERICS_LIBRARY siconos_numerics)
    mark_as_advanced(SICONOS_INCLUDE SICONOS_NUMERICS_LIBRARY)
    if(SICONOS_INCLUDE AND SICONOS_NUMERICS_LIBRARY)
        target_compile_definitions(percuss_program PRIVATE PERCUSS_HAVE_SICONOS)
        target_include_directories(percuss_program SYSTEM PRIVATE
            ${SICONOS_INCLUDE} ${SICONOS_INCLUDE}/numerics)
        target_link_libraries(percuss_program PRIVATE ${SICONOS_NUMERICS_LIBRARY})
    endif()
endif()
