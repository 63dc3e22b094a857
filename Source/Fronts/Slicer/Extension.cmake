# SPDX-License-Identifier: Apache-2.0
# The modules as an extension of 3D Slicer, from Slicer's build folder: cmake -S . -B BUILD -DSlicer_DIR=SLICER_BUILD, then the
# target package. Its entry for the Extensions Index is written to BUILD/BrickCCL.json.
set(EXTENSION_NAME BrickCCL)
set(EXTENSION_HOMEPAGE "${BRICKCCL_ADDRESS}")
set(EXTENSION_CATEGORY Segmentation)
set(EXTENSION_CONTRIBUTORS "The BrickCCL authors")
set(EXTENSION_DESCRIPTION "Connected components of CT and medical volumes: labels pores, lesions and grains, measures them, \
cleans segmentations and checks parts against limits")
set(EXTENSION_ICONURL "${BRICKCCL_ADDRESS}/raw/HEAD/Source/Fronts/Slicer/BrickCCL.png")
set(EXTENSION_SCREENSHOTURLS "${BRICKCCL_ADDRESS}/raw/HEAD/Examples/SurfacePicture/surface-pores.png")
set(EXTENSION_DEPENDS NA)
# Older versions of Slicer take the page and the license from the variables of a single module.
foreach(_prefix IN ITEMS EXTENSION MODULE)
  set(${_prefix}_README_FILE ${CMAKE_CURRENT_LIST_DIR}/README.md)
  set(${_prefix}_LICENSE_FILE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(${_prefix}_LICENSE_SHORT_DESCRIPTION Apache-2.0)
endforeach()
# It would call project() again, without the version.
set(Slicer_SKIP_PROJECT_COMMAND ON)
set(Slicer_SKIP_USE_FILE_INCLUDE_CHECK ON)
find_package(Slicer REQUIRED)
include(${Slicer_USE_FILE})
configure_file(${CMAKE_CURRENT_LIST_DIR}/BrickCCL.json ${PROJECT_BINARY_DIR}/BrickCCL.json @ONLY)

# The modules alone; the libraries of the command are linked in.
foreach(_name IN ITEMS BRICKCCL_ENABLE_VTK BRICKCCL_ENABLE_CUDA BRICKCCL_ENABLE_PYTHON BRICKCCL_BUILD_TESTING
    BRICKCCL_BUILD_BENCHMARKS BUILD_SHARED_LIBS)
  set(${_name} OFF)
endforeach()
set(BRICKCCL_ENABLE_CLI ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};BrickCCL;RuntimeLibraries;/")
cmake_language(DEFER CALL include "${Slicer_EXTENSION_GENERATE_CONFIG}")
cmake_language(DEFER CALL include "${Slicer_EXTENSION_CPACK}")
