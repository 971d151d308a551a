# Headers, libraries, program, CMake package, pkg-config file, man page, examples.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/percuss)

install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/percuss)
install(TARGETS percuss EXPORT percussSharedTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS percuss_static EXPORT percussStaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET percuss_program)
    install(TARGETS percuss_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Two export sets: the static one needs the dependencies' own development files.
foreach(kind Shared Static)
    install(EXPORT percuss${kind}Targets NAMESPACE percuss:: DESTINATION ${package_folder})
endforeach()
configure_package_config_file(cmake/percussConfig.cmake.in percussConfig.cmake
    INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(percussConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/percussConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/percussConfigVersion.cmake
    cmake/PercussDependencies.cmake
    DESTINATION ${package_folder})

# Libs.private for those who link libpercuss.a.
set(pc_libraries_private)
foreach(module lapacke openblas hdf5 yaml zlib arpack)
    list(APPEND pc_libraries_private ${percuss_${module}_LDFLAGS})
endforeach()
list(APPEND pc_libraries_private
    -lklu -lbtf -lamd -lcolamd -lsuitesparseconfig -lpthread -lm)
list(REMOVE_DUPLICATES pc_libraries_private)
list(JOIN pc_libraries_private " " pc_libraries_private)
# The .pc file finds its prefix from its own place, so that an installed tree may be moved.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
configure_file(cmake/percuss.pc.in percuss.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/percuss.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES docs/percuss.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples)
    install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss/examples)
endif()
