# SPDX-License-Identifier: Apache-2.0
# The targets `docs`, C++ pages of the public headers by Doxygen, and `site`, the documentation that they are a part of, by Sphinx.
# A warning is an error in both.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo "Doxygen was not found: install it (Testing/install-packages.sh) and configure again"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()

# The headers that are installed.
set(_public_headers "")
foreach(_target IN ITEMS brickccl-core brickccl brickccl-phantoms brickccl-itk brickccl-vtk)
  if(TARGET ${_target})
    get_target_property(_headers ${_target} HEADER_SET)
    list(APPEND _public_headers ${_headers})
  endif()
endforeach()

set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/docs)
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE ${CMAKE_CURRENT_SOURCE_DIR}/MainPage.md)
set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR})
set(DOXYGEN_STRIP_FROM_INC_PATH ${CMAKE_CURRENT_SOURCE_DIR}/Engine ${CMAKE_CURRENT_SOURCE_DIR}/Inspection
  ${CMAKE_CURRENT_SOURCE_DIR}/Fronts)
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_HIDE_FRIEND_COMPOUNDS YES)
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
set(DOXYGEN_PREDEFINED BRICKCCL_HOST_DEVICE= "ITK_TEMPLATE_EXPORT=" ITK_MANUAL_INSTANTIATION)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_GENERATE_LATEX NO)
# Without it, a specialization of a template of the standard library ends the run.
set(DOXYGEN_BUILTIN_STL_SUPPORT YES)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
doxygen_add_docs(docs ${_public_headers} MainPage.md
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  COMMENT "API pages: ${DOXYGEN_OUTPUT_DIRECTORY}/html/index.html")

find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  return()
endif()
# The pages stay where they are in the repository (conf.py).
set(_docs ${PROJECT_SOURCE_DIR}/Wrapping/Python/docs)
set(_site ${PROJECT_BINARY_DIR}/site)
set(_python ${PROJECT_BINARY_DIR}/site-python)
add_custom_command(OUTPUT ${_python}/made
  COMMAND ${Python3_EXECUTABLE} -m venv --clear ${_python}
  COMMAND ${_python}/bin/pip install --quiet "sphinx>=8,<10" "myst-parser>=4,<6" furo numpy
  COMMAND ${CMAKE_COMMAND} -E touch ${_python}/made
  DEPENDS ${CMAKE_CURRENT_LIST_FILE} COMMENT "Python packages of the documentation" VERBATIM)
set(_command "")
if(TARGET brickccl-command)
  set(_command BRICKCCL=$<TARGET_FILE:brickccl-command>)
endif()
add_custom_target(site
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${_site}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${DOXYGEN_OUTPUT_DIRECTORY}/html ${_site}/cpp
  COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 BRICKCCL_ADDRESS=${BRICKCCL_ADDRESS} ${_command}
    ${_python}/bin/python -m sphinx -q -W --keep-going -E -d ${PROJECT_BINARY_DIR}/site-trees -c ${_docs} ${PROJECT_SOURCE_DIR} ${_site}
  DEPENDS ${_python}/made VERBATIM
  COMMENT "The documentation: ${_site}/index.html")
add_dependencies(site docs)
