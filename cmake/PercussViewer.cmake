# The report page: built from viewer/ with npm and put into the library as an array of bytes. The
# sources are copied to the build folder first, so that the source tree stays as it is. Without nodejs
# and npm the array is empty, and `percuss report` says so.

find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)

set(viewer_source ${CMAKE_CURRENT_SOURCE_DIR}/viewer)
set(viewer_build ${CMAKE_CURRENT_BINARY_DIR}/viewer)
set(viewer_array ${CMAKE_CURRENT_BINARY_DIR}/generated/viewer_page.c)
set(viewer_script ${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_viewer.cmake)

set(viewer_reason)
if(NOT PERCUSS_VIEWER)
    set(viewer_reason "PERCUSS_VIEWER is OFF")
elseif(NOT EXISTS ${viewer_source}/package-lock.json)
    set(viewer_reason "there is no viewer/package-lock.json")
elseif(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    set(viewer_reason "nodejs and npm are not installed")
endif()

if(viewer_reason)
    message(STATUS "Report page: left out, because ${viewer_reason}")
    file(CONFIGURE OUTPUT ${viewer_array} CONTENT [[
#include <stddef.h>

extern const unsigned char pcs_viewer_page[];
extern const size_t pcs_viewer_page_size;
const unsigned char pcs_viewer_page[] = {0};
const size_t pcs_viewer_page_size = 0;
]] @ONLY)
else()
    message(STATUS "Report page: built with ${NODE_PROGRAM} and ${NPM_PROGRAM}")
    file(GLOB_RECURSE viewer_files CONFIGURE_DEPENDS RELATIVE ${viewer_source} ${viewer_source}/*)
    list(FILTER viewer_files EXCLUDE REGEX "(^|/)(node_modules|dist)/")
    list(TRANSFORM viewer_files PREPEND ${viewer_source}/ OUTPUT_VARIABLE viewer_dependencies)
    set(viewer_packages ${viewer_source}/package.json ${viewer_source}/package-lock.json)
    file(WRITE ${viewer_build}.files.new "${viewer_files}")
    file(COPY_FILE ${viewer_build}.files.new ${viewer_build}.files ONLY_IF_DIFFERENT)
    set(viewer_arguments
        -D NODE=${NODE_PROGRAM} -D NPM=${NPM_PROGRAM}
        -D SOURCE=${viewer_source} -D FOLDER=${viewer_build})

    # Packages are fetched again only when their list changes; by content, for a list that comes with
    # another branch may have an older date.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_packages})
    file(SHA256 ${viewer_source}/package-lock.json viewer_hash)
    string(SUBSTRING ${viewer_hash} 0 12 viewer_hash)
    set(viewer_stamp ${viewer_build}.packages-${viewer_hash}.stamp)
    add_custom_command(OUTPUT ${viewer_stamp}
        COMMAND ${CMAKE_COMMAND} ${viewer_arguments} -D STEP=packages
            -D STAMP=${viewer_stamp} -P ${viewer_script}
        DEPENDS ${viewer_packages} ${viewer_script}
        COMMENT "Fetching the packages of the report page"
        VERBATIM)
    add_custom_command(OUTPUT ${viewer_array}
        COMMAND ${CMAKE_COMMAND} ${viewer_arguments} -D STEP=page
            -D FILES=${viewer_build}.files -D ARRAY=${viewer_array}
            -D EMBED=${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_page.js -P ${viewer_script}
        DEPENDS ${viewer_dependencies} ${viewer_build}.files ${viewer_stamp}
            ${viewer_script} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_page.js
        COMMENT "Building the report page"
        VERBATIM)
endif()

target_sources(percuss_objects PRIVATE ${viewer_array})
