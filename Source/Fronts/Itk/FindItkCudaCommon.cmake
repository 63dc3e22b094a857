# SPDX-License-Identifier: Apache-2.0
# What BRICKCCL_USE_ITKCUDACOMMON needs, or an error that says what is missing.
if(NOT BRICKCCL_HAS_ITK)
  message(FATAL_ERROR "BRICKCCL_USE_ITKCUDACOMMON needs the filters for ITK, but ITK was not found or BRICKCCL_ENABLE_ITK is "
    "OFF; set ITK_DIR")
endif()
if(NOT BRICKCCL_HAS_CUDA)
  message(FATAL_ERROR "BRICKCCL_USE_ITKCUDACOMMON needs CUDA, but no nvcc of version 12.8 or later was found or "
    "BRICKCCL_ENABLE_CUDA is OFF; set CMAKE_CUDA_COMPILER")
endif()
if(NOT EXISTS ${ITK_MODULES_DIR}/CudaCommon.cmake)
  message(FATAL_ERROR "BRICKCCL_USE_ITKCUDACOMMON needs the module CudaCommon, which the ITK in ${ITK_DIR} does not have; it is "
    "ITKCudaCommon 2.1 or later (https://github.com/RTKConsortium/ITKCudaCommon), which ITK builds as an external module")
endif()
# Each search replaces what the one before found.
set(_itk_libraries ${ITK_LIBRARIES})
set(_itk_include_dirs ${ITK_INCLUDE_DIRS})
find_package(ITK REQUIRED COMPONENTS CudaCommon)
list(APPEND ITK_LIBRARIES ${_itk_libraries})
list(APPEND ITK_INCLUDE_DIRS ${_itk_include_dirs})
find_file(BRICKCCL_ITKCUDACOMMON_HEADER itkCudaDataManager.h PATHS ${ITK_INCLUDE_DIRS} NO_DEFAULT_PATH)
set(_manager "")
if(BRICKCCL_ITKCUDACOMMON_HEADER)
  file(STRINGS ${BRICKCCL_ITKCUDACOMMON_HEADER} _manager REGEX GetGPUBufferPointerPtr)
endif()
if(NOT _manager)
  message(FATAL_ERROR "BRICKCCL_USE_ITKCUDACOMMON needs ITKCudaCommon 2.1 or later: the itkCudaDataManager.h of the ITK in "
    "${ITK_DIR} (${BRICKCCL_ITKCUDACOMMON_HEADER}) has no GetGPUBufferPointerPtr")
endif()
