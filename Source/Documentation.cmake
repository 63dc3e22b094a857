# The target `docs`: API pages of the public headers and the pages of the tasks, by Doxygen. A warning is an error.
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
set(_examples ${PROJECT_SOURCE_DIR}/Examples)
file(GLOB _task_pages ${_examples}/*/README.md)
file(GLOB _task_folders LIST_DIRECTORIES ON ${_examples}/*)

set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/docs)
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE ${CMAKE_CURRENT_SOURCE_DIR}/MainPage.md)
set(DOXYGEN_IMAGE_PATH ${_task_folders})
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
doxygen_add_docs(docs ${_public_headers} MainPage.md Engine/Tables/COLUMNS.md Engine/Core/NEIGHBOURS.md Engine/Bricks/README.md Fronts/Itk/README.md ../Wrapping/ITKModule/README.md ${_task_pages}
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  COMMENT "API pages: ${DOXYGEN_OUTPUT_DIRECTORY}/html/index.html")
