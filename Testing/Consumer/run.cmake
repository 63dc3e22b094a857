# SPDX-License-Identifier: Apache-2.0
# Installs the build to a folder of its own, then configures, builds and runs the consumer project against it, with
# find_package in every order.
set(work ${BUILD}/consumer-test)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/install)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
set(cases plain missing)
if(HAS_ITK)
  list(APPEND cases components before-itk after-itk)
endif()
if(HAS_VTK)
  list(APPEND cases around-vtk)
endif()
# build_and_run(folder compiler cases...): the project with the programs of these cases.
function(build_and_run folder compiler)
  list(JOIN ARGN "," cases)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/${folder} -G ${GENERATOR} -DCASES=${cases} -DCMAKE_PREFIX_PATH=${work}/install
    -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_COMPILER=${compiler} "-DCMAKE_CXX_FLAGS=${flags}" -Wno-dev)
  run(${CMAKE_COMMAND} --build ${work}/${folder})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/${folder} --output-on-failure --no-tests=error)
endfunction()
build_and_run(build ${COMPILER} ${cases})
# The public headers are for other compilers, too.
find_program(CLANG clang++)
if(CLANG AND NOT SANITIZE AND NOT COMPILER STREQUAL CLANG)
  build_and_run(build-by-clang ${CLANG} plain)
endif()
