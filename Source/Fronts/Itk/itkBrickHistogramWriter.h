// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickHistogramWriter_h
#define itkBrickHistogramWriter_h

#include "BrickCCL/Core/Error.h"
#include "itkBrickImageView.h"
#include "itkBrickWeightedAttributes.h"

#include "itkHistogram.h"
#include "itkMinimumMaximumImageCalculator.h"
#include "itkStatisticsLabelObject.h"

#include <limits>
#include <type_traits>
#include <vector>

namespace itk
{

/** Gives objects the histograms of StatisticsLabelMapFilter, with bins over the range of a whole image. */
template <typename TPixel>
class BrickHistogramWriter
{
public:
  using HistogramType = Statistics::Histogram<double>;

  static constexpr unsigned int
  DefaultNumberOfBins()
  {
    return std::is_integral_v<TPixel> && sizeof(TPixel) <= 2 ? 1u << (8 * sizeof(TPixel)) : 128u;
  }

  template <typename TImage>
  BrickHistogramWriter(const TImage * image, unsigned int bins)
    : m_Bins(bins)
    , m_Low(1)
    , m_High(1)
  {
    if (bins == 0)
    {
      throw brickccl::InvalidArgument("the number of histogram bins is 0; it must be at least 1");
    }
    if (HasTable && bins == DefaultNumberOfBins())
    {
      // Every value is the center of a bin.
      m_Low.Fill(static_cast<double>(std::numeric_limits<TPixel>::min()) - 0.5);
      m_High.Fill(static_cast<double>(std::numeric_limits<TPixel>::max()) + 0.5);
    }
    else
    {
      auto range = MinimumMaximumImageCalculator<TImage>::New();
      range->SetImage(image);
      range->Compute();
      m_Low.Fill(static_cast<double>(range->GetMinimum()));
      m_High.Fill(static_cast<double>(range->GetMaximum()));
    }
    m_Model = MakeHistogram();
    if constexpr (HasTable)
    {
      constexpr int smallest = std::numeric_limits<TPixel>::min();
      for (int value = smallest; value <= std::numeric_limits<TPixel>::max(); ++value)
      {
        m_BinOf.push_back(FindBin(value));
      }
    }
  }

  /** Sets the object's histogram from the intensities of the grid's region, with pixels of this type. */
  template <typename TLabelObject>
  void
  Write(const brickccl::ImageView &                     intensity,
        const ImageBase<TLabelObject::ImageDimension> * grid,
        TLabelObject *                                  object) const
  {
    std::vector<SizeValueType> frequencies(m_Bins, 0);
    VisitBrickLines<TPixel>(intensity, grid, object, [&](const auto &, SizeValueType length, const TPixel * values) {
      for (SizeValueType i = 0; i < length; ++i)
      {
        // NaN is in no bin.
        if (!IsBrickNan(values[i]))
        {
          ++frequencies[BinOf(values[i])];
        }
      }
    });
    const HistogramType::Pointer histogram = MakeHistogram();
    for (std::size_t bin = 0; bin < frequencies.size(); ++bin)
    {
      if (frequencies[bin] != 0)
      {
        histogram->SetFrequency(bin, frequencies[bin]);
      }
    }
    object->SetHistogram(histogram);
  }

private:
  static constexpr bool HasTable = std::is_integral_v<TPixel> && sizeof(TPixel) <= 2;

  HistogramType::Pointer
  MakeHistogram() const
  {
    auto                    histogram = HistogramType::New();
    auto                    low = m_Low;
    auto                    high = m_High;
    HistogramType::SizeType size(1);
    size.Fill(m_Bins);
    histogram->SetMeasurementVectorSize(1);
    histogram->SetClipBinsAtEnds(false);
    histogram->Initialize(size, low, high);
    return histogram;
  }

  std::size_t
  FindBin(double value) const
  {
    HistogramType::IndexType             index(1);
    HistogramType::MeasurementVectorType measurement(1);
    measurement[0] = value;
    m_Model->GetIndex(measurement, index);
    return static_cast<std::size_t>(index[0]);
  }

  std::size_t
  BinOf(TPixel value) const
  {
    if constexpr (HasTable)
    {
      return m_BinOf[static_cast<std::size_t>(int{ value } - int{ std::numeric_limits<TPixel>::min() })];
    }
    else
    {
      return FindBin(static_cast<double>(value));
    }
  }

  unsigned int                         m_Bins;
  HistogramType::MeasurementVectorType m_Low;
  HistogramType::MeasurementVectorType m_High;
  HistogramType::Pointer               m_Model;
  std::vector<std::size_t>             m_BinOf;
};

} // namespace itk

#endif
