# Link-time optimisation of the shared library and the program. The objects are fat (they carry
# machine code too), so that the installed static library suits users who link without it, and the
# tests link without it because one whole-program pass for each test would cost minutes.

if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(percuss_objects PRIVATE -flto=auto -ffat-lto-objects)
    target_link_options(percuss PRIVATE -flto=auto)
    if(TARGET percuss_program)
        target_compile_options(percuss_program PRIVATE -flto=auto)
        target_link_options(percuss_program PRIVATE -flto=auto)
    endif()
else()
    message(STATUS "PERCUSS_LTO: only with gcc; left out")
endif()
