// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickWeightedAttributes_h
#define itkBrickWeightedAttributes_h

#include "itkBrickImageView.h"

#include "itkImageBase.h"
#include "itkMath.h"
#include "itkNumericTraits.h"
#include "vnl/algo/vnl_symmetric_eigensystem.h"
#include "vnl/algo/vnl_determinant.h"

#include <cmath>
#include <limits>

namespace itk
{

/** Makes the rows of a matrix of unit vectors a rotation, as in ITK: if their determinant is -1, the last one is
 *  reflected. */
template <typename TMatrix>
void
ReflectBrickAxes(TMatrix & axes)
{
  constexpr unsigned int last = TMatrix::RowDimensions - 1;
  if (vnl_determinant(axes.GetVnlMatrix().as_matrix()) < 0)
  {
    for (unsigned int i = 0; i <= last; ++i)
    {
      axes[last][i] = -axes[last][i];
    }
  }
}

/** The sums of StatisticsLabelMapFilter over the pixels of an object that the component table lacks. */
template <unsigned int VDimension>
class BrickWeightedSums
{
public:
  using GridType = ImageBase<VDimension>;
  using IndexType = typename GridType::IndexType;

  /** The anchor is a pixel near the object. Positions are relative to it, so sums stay exact far from the origin.
   */
  BrickWeightedSums(const GridType * grid, const IndexType & anchor)
    : m_Grid(grid)
  {
    grid->TransformIndexToPhysicalPoint(anchor, m_Anchor);
    for (unsigned int i = 0; i < VDimension; ++i)
    {
      m_Step[i] = grid->GetDirection()[i][0] * grid->GetSpacing()[0];
    }
  }

  /** Adds a line of pixels. */
  template <typename T>
  void
  AddLine(const IndexType & index, SizeValueType length, const T * values)
  {
    SizeValueType smallest = length;
    SizeValueType largest = length;
    double        sums[3] = {};
    for (SizeValueType i = 0; i < length; ++i)
    {
      const auto value = static_cast<double>(values[i]);
      // The last of several, as in ITK.
      if (value <= m_Minimum)
      {
        m_Minimum = value;
        smallest = i;
      }
      if (value >= m_Maximum)
      {
        m_Maximum = value;
        largest = i;
      }
      const auto along = static_cast<double>(i);
      sums[0] += value;
      sums[1] += value * along;
      sums[2] += value * along * along;
    }
    AddSums(index, sums);
    if (smallest < length)
    {
      minimumIndex = index;
      minimumIndex[0] += static_cast<IndexValueType>(smallest);
    }
    if (largest < length)
    {
      maximumIndex = index;
      maximumIndex[0] += static_cast<IndexValueType>(largest);
    }
  }

  /** Writes the weighted moments, axes, elongation and flatness; all are 0 if the intensities sum to 0. */
  template <typename TLabelObject>
  void
  Write(TLabelObject * object) const
  {
    typename TLabelObject::MatrixType axes;
    typename TLabelObject::VectorType moments;
    axes.Fill(0);
    moments.Fill(0);
    double elongation = 0;
    double flatness = 0;
    if (Math::NotAlmostEquals(m_Sum, 0.0))
    {
      vnl_matrix<double> central(VDimension, VDimension);
      for (unsigned int a = 0; a < VDimension; ++a)
      {
        for (unsigned int b = 0; b <= a; ++b)
        {
          central[a][b] = central[b][a] = m_Second[a][b] / m_Sum - m_First[a] / m_Sum * (m_First[b] / m_Sum);
        }
        central[a][a] += m_Grid->GetSpacing()[a] * m_Grid->GetSpacing()[a] / 12.0;
      }
      const vnl_symmetric_eigensystem<double> eigen(central);
      for (unsigned int a = 0; a < VDimension; ++a)
      {
        moments[a] = eigen.D(a, a);
        for (unsigned int b = 0; b < VDimension; ++b)
        {
          axes[a][b] = eigen.V(b, a);
        }
      }
      ReflectBrickAxes(axes);
      if constexpr (VDimension < 2)
      {
        elongation = flatness = 1;
      }
      else if (Math::NotAlmostEquals(moments[0], 0.0))
      {
        elongation = std::sqrt(moments[VDimension - 1] / moments[VDimension - 2]);
        flatness = std::sqrt(moments[1] / moments[0]);
      }
    }
    object->SetMinimumIndex(minimumIndex);
    object->SetMaximumIndex(maximumIndex);
    object->SetWeightedPrincipalMoments(moments);
    object->SetWeightedPrincipalAxes(axes);
    object->SetWeightedElongation(elongation);
    object->SetWeightedFlatness(flatness);
  }

  IndexType minimumIndex{};
  IndexType maximumIndex{};

private:
  /** Adds the sums of a line's values v, of v i and of v i^2, where i counts from the line's first pixel. */
  void
  AddSums(const IndexType & index, const double (&sums)[3])
  {
    typename GridType::PointType start;
    m_Grid->TransformIndexToPhysicalPoint(index, start);
    double place[VDimension];
    m_Sum += sums[0];
    for (unsigned int a = 0; a < VDimension; ++a)
    {
      place[a] = start[a] - m_Anchor[a];
      m_First[a] += place[a] * sums[0] + m_Step[a] * sums[1];
      for (unsigned int b = 0; b <= a; ++b)
      {
        m_Second[a][b] += place[a] * place[b] * sums[0] + (place[a] * m_Step[b] + place[b] * m_Step[a]) * sums[1] +
                          m_Step[a] * m_Step[b] * sums[2];
      }
    }
  }

  const GridType *             m_Grid;
  typename GridType::PointType m_Anchor;
  double                       m_Step[VDimension];
  double                       m_Minimum = std::numeric_limits<double>::infinity();
  double                       m_Maximum = -std::numeric_limits<double>::infinity();
  double                       m_Sum = 0;
  double                       m_First[VDimension] = {};
  double                       m_Second[VDimension][VDimension] = {};
};

/** Sets an object's attributes of StatisticsLabelObject that the component table lacks. The intensities cover the
 * grid's region. */
template <typename TLabelObject>
void
WriteBrickWeightedAttributes(const brickccl::ImageView &                     intensity,
                             const ImageBase<TLabelObject::ImageDimension> * grid,
                             TLabelObject *                                  object)
{
  BrickWeightedSums<TLabelObject::ImageDimension> sums(grid, object->GetBoundingBox().GetIndex());
  brickccl::VisitScalarType(intensity.type, [&](auto tag) {
    const auto * const values = static_cast<const typename decltype(tag)::Type *>(intensity.data);
    for (typename TLabelObject::ConstLineIterator it(object); !it.IsAtEnd(); ++it)
    {
      const auto & line = it.GetLine();
      const auto   place = BrickPlaceOf(line.GetIndex(), grid->GetLargestPossibleRegion());
      sums.AddLine(line.GetIndex(), line.GetLength(), values + place);
    }
  });
  sums.Write(object);
}

} // namespace itk

#endif
