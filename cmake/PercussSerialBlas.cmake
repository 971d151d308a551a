# The program runs with BLAS without threads: Percuss has its own, those of OpenBLAS are started when it
# is loaded, and a process that may not start them hangs at its end. Debian's serial variant has the
# name of the others and is found by the run path of the program, which ARPACK's BLAS follows too (as
# DT_RPATH). The library has no run path: who links it has chosen a variant already.
find_path(PERCUSS_SERIAL_BLAS libopenblas.so.0
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial NO_DEFAULT_PATH)
mark_as_advanced(PERCUSS_SERIAL_BLAS)
if(PERCUSS_SERIAL_BLAS)
    set_target_properties(percuss_program PROPERTIES
        BUILD_RPATH ${PERCUSS_SERIAL_BLAS} INSTALL_RPATH ${PERCUSS_SERIAL_BLAS})
    target_link_options(percuss_program PRIVATE LINKER:--disable-new-dtags)
endif()
