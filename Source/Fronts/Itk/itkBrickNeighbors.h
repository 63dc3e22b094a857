// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickNeighbors_h
#define itkBrickNeighbors_h

#include "BrickCCL/Core/Connectivity.h"

#include <string>

/** Defines the setter of a member that has no text form; itkSetMacro would print it. */
#define itkBrickSetMacro(name, type)                                                                                   \
  void Set##name(const type & value)                                                                                   \
  {                                                                                                                    \
    if (!(this->m_##name == value))                                                                                    \
    {                                                                                                                  \
      this->m_##name = value;                                                                                          \
      this->Modified();                                                                                                \
    }                                                                                                                  \
  }

/** Defines setter and getter of PeriodicAxes, whose member is m_PeriodicAxes. */
#define itkBrickPeriodicAxesMacro()                                                                                    \
  itkBrickSetMacro(PeriodicAxes, brickccl::PeriodicAxes) itkGetConstReferenceMacro(PeriodicAxes, brickccl::PeriodicAxes)

namespace itk
{

/** The neighbors of a pixel, from FullyConnected. */
inline brickccl::Connectivity
MakeBrickConnectivity(bool isFullyConnected, unsigned int dimension)
{
  return isFullyConnected ? brickccl::Connectivity::Full(static_cast<int>(dimension))
                          : brickccl::Connectivity::Face(static_cast<int>(dimension));
}

/** The text for PrintSelf. */
inline std::string
BrickNameOf(const brickccl::PeriodicAxes & axes)
{
  return axes.HasAny() ? axes.ToString() : "(none)";
}

} // namespace itk

#endif
