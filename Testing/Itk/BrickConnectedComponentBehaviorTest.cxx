// SPDX-License-Identifier: Apache-2.0
// The filter's behavior other than its labels, with ITK's filters as the model.
#include "itkBrickConnectedComponentImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "ItkImages.h"

#include "itkAddImageFilter.h"
#include "itkConnectedComponentImageFilter.h"
#include "itkImageAdaptor.h"
#include "itkLabelImageToLabelMapFilter.h"
#include "itkShapeLabelMapFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace
{

using brickccl::testing::MakeEmptyImage;
using brickccl::testing::MakeImage;
using brickccl::testing::PixelsOf;

using Image = itk::Image<short, 3>;
using Mask = itk::Image<unsigned char, 3>;
using Labels = itk::Image<unsigned int, 3>;
using Ours = itk::BrickConnectedComponentImageFilter<Image, Labels, Mask>;
using Theirs = itk::ConnectedComponentImageFilter<Image, Labels, Mask>;

/** The pixels of another image less 1, where they are positive: what was 1 is background. */
class LessOne
{
public:
  using InternalType = short;
  using ExternalType = short;
  static void
  Set(InternalType & output, const ExternalType & input)
  {
    output = static_cast<short>(input + 1);
  }
  static ExternalType
  Get(const InternalType & input)
  {
    return static_cast<short>(input > 0 ? input - 1 : 0);
  }
};

TEST(BrickConnectedComponentBehavior, HasThePublicNamesOfItksFilter)
{
  static_assert(std::is_same_v<Ours::InputImageType, Theirs::InputImageType>);
  static_assert(std::is_same_v<Ours::InputImagePointer, Theirs::InputImagePointer>);
  static_assert(std::is_same_v<Ours::InputPixelType, Theirs::InputPixelType>);
  static_assert(std::is_same_v<Ours::InputInternalPixelType, Theirs::InputInternalPixelType>);
  static_assert(std::is_same_v<Ours::OutputImageType, Theirs::OutputImageType>);
  static_assert(std::is_same_v<Ours::OutputPixelType, Theirs::OutputPixelType>);
  static_assert(std::is_same_v<Ours::OutputImagePixelType, Theirs::OutputImagePixelType>);
  static_assert(std::is_same_v<Ours::OutputInternalPixelType, Theirs::OutputInternalPixelType>);
  static_assert(std::is_same_v<Ours::MaskImageType, Theirs::MaskImageType>);
  static_assert(std::is_same_v<Ours::MaskImagePointer, Theirs::MaskImagePointer>);
  static_assert(std::is_same_v<Ours::MaskPixelType, Theirs::MaskPixelType>);
  static_assert(std::is_same_v<Ours::IndexType, Theirs::IndexType>);
  static_assert(std::is_same_v<Ours::SizeType, Theirs::SizeType>);
  static_assert(std::is_same_v<Ours::OffsetType, Theirs::OffsetType>);
  static_assert(std::is_same_v<Ours::RegionType, Theirs::RegionType>);
  static_assert(std::is_same_v<Ours::OutputIndexType, Theirs::OutputIndexType>);
  static_assert(std::is_same_v<Ours::OutputSizeType, Theirs::OutputSizeType>);
  static_assert(std::is_same_v<Ours::OutputOffsetType, Theirs::OutputOffsetType>);
  static_assert(std::is_same_v<Ours::ListType, Theirs::ListType>);
  static_assert(std::is_same_v<Ours::LabelType, Theirs::LabelType>);
  static_assert(Ours::ImageDimension == Theirs::ImageDimension);
  static_assert(Ours::InputImageDimension == Theirs::InputImageDimension);
  EXPECT_STREQ(Ours::New()->GetNameOfClass(), "BrickConnectedComponentImageFilter");
}

TEST(BrickConnectedComponentBehavior, PixelsOfAdaptorsAreComputed)
{
  using Adaptor = itk::ImageAdaptor<Image, LessOne>;
  const auto image = MakeImage<Image>({ 21, 12, 7 }, 3, true);
  const auto under = MakeImage<Image>({ 21, 12, 7 }, 4, true);
  auto       input = Adaptor::New();
  auto       mask = Adaptor::New();
  input->SetImage(image);
  mask->SetImage(under);
  auto ours = itk::BrickConnectedComponentImageFilter<Adaptor, Labels>::New();
  auto sums = itk::AddImageFilter<Adaptor, Image, Image>::New();
  auto zero = MakeEmptyImage<Image>({ 21, 12, 7 }, true);
  sums->SetInput1(input);
  sums->SetInput2(zero);
  auto maskSums = itk::AddImageFilter<Adaptor, Image, Image>::New();
  maskSums->SetInput1(mask);
  maskSums->SetInput2(zero);
  auto theirs = itk::ConnectedComponentImageFilter<Image, Labels>::New();
  theirs->SetInput(sums->GetOutput());
  ours->SetInput(input);
  for (const bool isMasked : { false, true })
  {
    if (isMasked)
    {
      ours->SetMaskImage(mask);
      theirs->SetMaskImage(maskSums->GetOutput());
    }
    ours->Update();
    theirs->Update();
    EXPECT_GT(ours->GetObjectCount(), 1u);
    ASSERT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
  }
  // As intensities, too.
  ours->SetIntensityImage(input.GetPointer());
  ours->Update();
  double sum = 0;
  for (const auto & component : ours->GetComponentTable().components)
  {
    sum += component.intensity.sum;
  }
  const auto values = PixelsOf(sums->GetOutput());
  const auto labels = PixelsOf(ours->GetOutput());
  double     expected = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    expected += labels[i] != 0 ? values[i] : 0;
  }
  EXPECT_EQ(sum, expected);
}

/** A mask of another region: index and size differ by these numbers. */
Mask::Pointer
MakeShiftedMask(const Image * image, itk::IndexValueType index, itk::IndexValueType size)
{
  auto mask = Mask::New();
  auto region = image->GetLargestPossibleRegion();
  for (unsigned axis = 0; axis < 3; ++axis)
  {
    region.SetIndex(axis, region.GetIndex(axis) + index);
    region.SetSize(axis, static_cast<itk::SizeValueType>(static_cast<long>(region.GetSize(axis)) + size));
  }
  mask->SetRegions(region);
  mask->Allocate();
  brickccl::testing::FillFromSeed(mask.GetPointer(), 8, [](std::uint64_t number) { return number % 3; });
  return mask;
}

TEST(BrickConnectedComponentBehavior, LargerMasksAreCropped)
{
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 3, true);
  for (const auto & mask :
       { MakeShiftedMask(image, -2, 5), MakeShiftedMask(image, -1, 1), MakeShiftedMask(image, 0, 3) })
  {
    auto ours = Ours::New();
    auto theirs = Theirs::New();
    ours->SetInput(image);
    theirs->SetInput(image);
    ours->SetMaskImage(mask);
    theirs->SetMaskImage(mask);
    ours->Update();
    theirs->Update();
    ASSERT_GT(ours->GetObjectCount(), 10u);
    EXPECT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));

    // Intensities and parts are cropped likewise: the mask's values at the labeled indices.
    ours->SetIntensityImage(mask.GetPointer());
    ours->SetPartImage(mask.GetPointer());
    ours->Update();
    std::vector<double> sums(ours->GetObjectCount() + 1, 0);
    itk::SizeValueType  part = 0;
    for (itk::ImageRegionConstIterator<Labels> it(ours->GetOutput(), ours->GetOutput()->GetLargestPossibleRegion());
         !it.IsAtEnd();
         ++it)
    {
      sums[it.Get()] += mask->GetPixel(it.GetIndex());
      part += mask->GetPixel(it.GetIndex()) != 0 ? 1 : 0;
    }
    const auto & table = ours->GetComponentTable();
    for (const auto & component : table.components)
    {
      EXPECT_EQ(component.intensity.sum, sums[component.label]);
    }
    EXPECT_EQ(table.partTotals.voxels, part);
  }
}

TEST(BrickConnectedComponentBehavior, OtherImagesThatLackPartsOfTheRegionAreRefused)
{
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 3, true);
  for (const auto & mask :
       { MakeShiftedMask(image, 1, 0), MakeShiftedMask(image, -1, 0), MakeShiftedMask(image, 0, -1) })
  {
    auto theirs = Theirs::New();
    theirs->SetInput(image);
    theirs->SetMaskImage(mask);
    EXPECT_THROW(theirs->Update(), itk::InvalidRequestedRegionError);
    const std::function<void(Ours *)> uses[] = { [&](Ours * ours) { ours->SetMaskImage(mask); },
                                                 [&](Ours * ours) { ours->SetIntensityImage(mask); },
                                                 [&](Ours * ours) { ours->SetPartImage(mask); } };
    for (const auto & use : uses)
    {
      auto ours = Ours::New();
      ours->SetInput(image);
      use(ours);
      EXPECT_THROW(ours->Update(), itk::InvalidRequestedRegionError);
      EXPECT_THROW(ours->Update(), itk::InvalidRequestedRegionError) << "and again";
      ours->SetMaskImage(nullptr);
      ours->SetIntensityImage(nullptr);
      ours->SetPartImage(nullptr);
      ours->Update();
      EXPECT_GT(ours->GetObjectCount(), 10u);
    }
  }
  // A mask whose place in space is another one.
  auto         mask = MakeShiftedMask(image, 0, 0);
  const double origin[] = { 0, 0, 5 };
  mask->SetOrigin(origin);
  auto ours = Ours::New();
  ours->SetInput(image);
  ours->SetMaskImage(mask);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
}

TEST(BrickConnectedComponentBehavior, NanInAMaskIsNotZero)
{
  using FloatMask = itk::Image<float, 3>;
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 3);
  auto       mask = MakeEmptyImage<FloatMask>({ 20, 10, 8 });
  brickccl::testing::FillFromSeed(mask.GetPointer(), 5, [](std::uint64_t number) {
    const float values[] = { 0.0f, -0.0f, std::numeric_limits<float>::quiet_NaN(), -2.5f, 1e-40f };
    return values[number % 5];
  });
  auto ours = itk::BrickConnectedComponentImageFilter<Image, Labels, FloatMask>::New();
  auto theirs = itk::ConnectedComponentImageFilter<Image, Labels, FloatMask>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  ours->SetMaskImage(mask);
  theirs->SetMaskImage(mask);
  ours->Update();
  theirs->Update();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
}

TEST(BrickConnectedComponentBehavior, OtherImagesComeAsSmartPointersAndGoAsNull)
{
  const auto          image = MakeImage<Image>({ 20, 10, 8 }, 3);
  Image::ConstPointer intensity = image.GetPointer();
  auto                ours = Ours::New();
  ours->SetInput(image);
  ours->SetIntensityImage(image);
  ours->SetPartImage(intensity);
  ours->Update();
  EXPECT_TRUE(ours->GetComponentTable().hasIntensity);
  EXPECT_TRUE(ours->GetComponentTable().hasPart);
  ours->SetIntensityImage(intensity);
  ours->SetPartImage(nullptr);
  ours->Update();
  EXPECT_TRUE(ours->GetComponentTable().hasIntensity);
  EXPECT_FALSE(ours->GetComponentTable().hasPart);
  ours->SetIntensityImage(nullptr);
  ours->Update();
  EXPECT_FALSE(ours->GetComponentTable().hasIntensity);
}

TEST(BrickConnectedComponentBehavior, MakesLabelMapsOfPlainObjects)
{
  using LabelMap = itk::LabelMap<itk::LabelObject<unsigned int, 3>>;
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 3, true);
  auto       ours = Ours::New();
  ours->SetInput(image);
  ours->ComputeComponentTableOff();
  ours->Update();
  const auto map = ours->MakeLabelMap<LabelMap>();
  auto       theirs = itk::LabelImageToLabelMapFilter<Labels, LabelMap>::New();
  theirs->SetInput(ours->GetOutput());
  theirs->Update();
  ASSERT_EQ(map->GetNumberOfLabelObjects(), theirs->GetOutput()->GetNumberOfLabelObjects());
  for (const auto & object : map->GetLabelObjects())
  {
    const auto * other = theirs->GetOutput()->GetLabelObject(object->GetLabel());
    ASSERT_EQ(object->GetNumberOfLines(), other->GetNumberOfLines());
    for (itk::SizeValueType i = 0; i < object->GetNumberOfLines(); ++i)
    {
      EXPECT_EQ(object->GetLine(i).GetIndex(), other->GetLine(i).GetIndex());
      EXPECT_EQ(object->GetLine(i).GetLength(), other->GetLine(i).GetLength());
    }
  }
  ours->SetMaskImage(MakeEmptyImage<Mask>({ 20, 10, 8 }, true));
  ours->Update();
  EXPECT_EQ(ours->MakeLabelMap<LabelMap>()->GetNumberOfLabelObjects(), 0u) << "of no components";
}

TEST(BrickConnectedComponentBehavior, LabelMapsAreThoseOfTheLastUpdate)
{
  using Plain = itk::LabelMap<itk::LabelObject<unsigned int, 3>>;
  using Shapes = itk::LabelMap<itk::ShapeLabelObject<unsigned int, 3>>;
  auto       image = MakeImage<Image>({ 20, 10, 8 }, 3, true);
  const auto region = image->GetLargestPossibleRegion();
  auto       intensity = MakeImage<Image>({ 20, 10, 8 }, 4, true);
  auto       ours = Ours::New();
  ours->SetInput(image);
  ours->SetIntensityImage(intensity);
  ours->Update();
  const auto shapes = ours->MakeLabelMap<Shapes>();

  intensity->ReleaseData();
  EXPECT_EQ(ours->MakeLabelMap<Shapes>()->GetNumberOfLabelObjects(), ours->GetObjectCount());

  ours->SetInput(MakeImage<Image>({ 5, 6, 7 }, 4));
  EXPECT_EQ(ours->MakeLabelMap<Plain>()->GetLargestPossibleRegion(), region);
  ours->SetInput(nullptr);
  const auto again = ours->MakeLabelMap<Shapes>();
  EXPECT_EQ(again->GetLargestPossibleRegion(), region);
  for (const auto & object : shapes->GetLabelObjects())
  {
    EXPECT_EQ(again->GetLabelObject(object->GetLabel())->GetCentroid(), object->GetCentroid());
  }

  // After a failure and after ReleaseWorkspace there is none.
  ours->SetInput(image);
  ours->SetIntensityImage(nullptr);
  ours->SetConnectivity(7);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  EXPECT_THROW(ours->MakeLabelMap<Plain>(), itk::ExceptionObject);
  ours->SetConnectivity(6);
  ours->Update();
  ours->MakeLabelMap<Plain>();
  ours->ReleaseWorkspace();
  EXPECT_THROW(ours->MakeLabelMap<Plain>(), itk::ExceptionObject);
}

/** The corners of an object's oriented box, to a thousandth. */
template <typename TObject>
std::set<std::vector<long>>
CornersOf(const TObject * object)
{
  std::set<std::vector<long>> corners;
  for (const auto & point : object->GetOrientedBoundingBoxVertices())
  {
    std::vector<long> corner;
    for (unsigned axis = 0; axis < TObject::ImageDimension; ++axis)
    {
      corner.push_back(std::lround(1000 * point[axis] + 1e-4));
    }
    corners.insert(corner);
  }
  return corners;
}

template <unsigned int VDimension>
void
ExpectRotationsAndBoxesOfItk(const std::vector<std::int64_t> & size, const std::vector<float> & values)
{
  using Volume = itk::Image<short, VDimension>;
  using Numbers = itk::Image<unsigned int, VDimension>;
  using Object = itk::ShapeLabelObject<unsigned int, VDimension>;
  using Map = itk::LabelMap<Object>;
  auto image = MakeEmptyImage<Volume>(size, true);
  std::copy(values.begin(), values.end(), image->GetBufferPointer());
  auto ours = itk::BrickConnectedComponentImageFilter<Volume, Numbers>::New();
  ours->SetInput(image);
  ours->SetColumnGroups(brickccl::ColumnGroups::FromNames("feret"));
  ours->Update();
  const auto map = ours->template MakeLabelMap<Map>();
  auto       lines = itk::LabelImageToLabelMapFilter<Numbers, Map>::New();
  lines->SetInput(ours->GetOutput());
  auto theirs = itk::ShapeLabelMapFilter<Map>::New();
  theirs->SetInput(lines->GetOutput());
  theirs->ComputeOrientedBoundingBoxOn();
  theirs->Update();
  int compared = 0;
  ASSERT_GT(map->GetNumberOfLabelObjects(), 5u);
  for (const auto & object : map->GetLabelObjects())
  {
    const Object * other = theirs->GetOutput()->GetLabelObject(object->GetLabel());
    EXPECT_NEAR(vnl_determinant(object->GetPrincipalAxes().GetVnlMatrix().as_matrix()), 1, 1e-9);
    EXPECT_NEAR(vnl_determinant(object->GetOrientedBoundingBoxDirection().GetVnlMatrix().as_matrix()), 1, 1e-9);
    bool areAlone = true;
    for (unsigned axis = 1; axis < VDimension; ++axis)
    {
      areAlone = areAlone && object->GetPrincipalMoments()[axis] - object->GetPrincipalMoments()[axis - 1] > 1e-3;
    }
    // Axes of equal moments are any; then boxes along them differ, too.
    if (areAlone)
    {
      ++compared;
      EXPECT_EQ(CornersOf(object.GetPointer()), CornersOf(other));
    }
  }
  EXPECT_GT(compared, 4);
}

TEST(BrickConnectedComponentBehavior, AxesAreRotationsAndBoxesThoseOfItk)
{
  const auto volume = brickccl::MakeRandom({ 40, 30, 20 }, 0.15, 3, 4);
  ExpectRotationsAndBoxesOfItk<3>({ 40, 30, 20 }, { volume.begin(), volume.end() });
  const auto plane = brickccl::MakeRandom({ 80, 60 }, 0.15, 3, 4);
  ExpectRotationsAndBoxesOfItk<2>({ 80, 60 }, { plane.begin(), plane.end() });
}

TEST(BrickConnectedComponentBehavior, RunsAgainWithOtherParametersAndRegionsAndAfterAnAbort)
{
  // The same filter runs with changed parameters, inputs of other regions, and after it was aborted.
  auto ours = itk::BrickConnectedComponentImageFilter<Image, Labels, Image>::New();
  for (const bool shifted : { false, true })
  {
    const auto image =
      MakeImage<Image>(shifted ? std::vector<std::int64_t>{ 9, 30, 5 } : std::vector<std::int64_t>{ 40, 10, 8 },
                       6,
                       shifted);
    for (const bool fully : { true, false })
    {
      auto theirs = itk::ConnectedComponentImageFilter<Image, Labels, Image>::New();
      theirs->SetInput(image);
      theirs->SetFullyConnected(fully);
      theirs->Update();
      ours->SetInput(image);
      ours->SetFullyConnected(fully);
      const auto tag =
        ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { ours->AbortGenerateDataOn(); });
      EXPECT_THROW(ours->Update(), itk::ProcessAborted);
      ours->RemoveObserver(tag);
      ours->Update();
      EXPECT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
      EXPECT_EQ(ours->GetOutput()->GetLargestPossibleRegion(), image->GetLargestPossibleRegion());
    }
  }
}

} // namespace
