# SPDX-License-Identifier: Apache-2.0
# Read by ITK's module system, inside ITK or beside its build tree.
set(DOCUMENTATION "Labels, relabels and measures connected components with the engine of BrickCCL, in the place of ITK's
own filters: the same output, faster, with more connectivities and criteria, and errors where labels overflow.")

itk_module(BrickConnectedComponents
  DEPENDS
    ITKCommon
    ITKConnectedComponents
    ITKImageStatistics
    ITKLabelMap
    ITKStatistics
  EXCLUDE_FROM_DEFAULT
  ENABLE_SHARED
  DESCRIPTION "${DOCUMENTATION}")
