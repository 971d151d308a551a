# Runs npm in a copy of viewer/ (see PercussViewer.cmake).
#   STEP=packages   fetches the packages that package-lock.json names, then touches STAMP
#   STEP=page       copies the sources listed in FILES, builds the page and writes it to ARRAY

function(run_or_stop what remedy) # COMMAND...
    execute_process(COMMAND ${ARGN}
        WORKING_DIRECTORY ${FOLDER}
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "Report page: ${what} failed; ${remedy}, or configure with "
            "-DPERCUSS_VIEWER=OFF to leave the page out\n${output}")
    endif()
endfunction()

function(copy_file name)
    get_filename_component(folder ${FOLDER}/${name} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(COPY_FILE ${SOURCE}/${name} ${FOLDER}/${name} ONLY_IF_DIFFERENT)
    # A read-only source tree must not make a read-only copy, which could not be renewed.
    file(CHMOD ${FOLDER}/${name} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

if(STEP STREQUAL "packages")
    copy_file(package.json)
    copy_file(package-lock.json)
    if(EXISTS ${SOURCE}/.npmrc) # settings of npm, such as how strict it is with versions
        copy_file(.npmrc)
    endif()
    run_or_stop("npm ci" "check the network" ${NPM} ci --no-audit --no-fund)
    file(TOUCH ${STAMP})
elseif(STEP STREQUAL "page")
    file(READ ${FILES} names)
    foreach(name IN LISTS names)
        copy_file(${name})
    endforeach()
    file(REMOVE ${FOLDER}/dist/report.html)
    run_or_stop("npm run build" "see its messages below" ${NPM} run build)
    run_or_stop("embedding the page" "see the message below"
        ${NODE} ${EMBED} ${FOLDER}/dist/report.html ${ARRAY})
endif()
