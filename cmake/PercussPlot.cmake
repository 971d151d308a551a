# Cairo (LGPL-2.1 or MPL-1.1), with fonts from fontconfig (MIT), draws the pictures of `percuss plot`.
# Linked into the program alone; without it the verb says how to get it.

if(PERCUSS_PLOT)
    pkg_check_modules(percuss_cairo QUIET IMPORTED_TARGET
        cairo cairo-svg cairo-pdf cairo-png fontconfig)
    if(percuss_cairo_FOUND)
        target_compile_definitions(percuss_program PRIVATE PERCUSS_HAVE_CAIRO)
        target_link_libraries(percuss_program PRIVATE PkgConfig::percuss_cairo)
    else()
        message(STATUS "cairo was not found: percuss plot is left out (Debian: libcairo2-dev)")
    endif()
endif()
