// The filter of itk::CudaImage with ITKCudaCommon itself, on a device.
// (Testing/Itk/BrickCudaConnectedComponentImageFilterTest says what the filter does, without a device.)
#include "itkBrickCudaConnectedComponentImageFilter.h"

#include "BrickCCL/Dispatch/Label.h"
#include "ItkImages.h"

#include <gtest/gtest.h>

namespace
{

using Image = itk::CudaImage<short, 3>;
using Labels = itk::CudaImage<unsigned int, 3>;

TEST(ItkCudaImage, LabelsStayOnTheDevice)
{
  if (brickccl::ResolveDevice({}).device.kind != brickccl::Device::Kind::Cuda)
  {
    GTEST_SKIP() << "there is no CUDA device";
  }
  const auto image = brickccl::testing::MakeImage<Image>({ 123, 70, 51 }, 1);
  auto       ours = itk::BrickCudaConnectedComponentImageFilter<Image, Labels>::New();
  auto       host = itk::BrickConnectedComponentImageFilter<Image, Labels>::New();
  for (const bool fully : { false, true })
  {
    ours->SetInput(image);
    ours->SetFullyConnected(fully);
    ours->SetMinimumObjectSize(2);
    ours->Update();
    EXPECT_STREQ(ours->GetHostReason(), "");
    EXPECT_TRUE(ours->GetOutput()->GetCudaDataManager()->IsCPUBufferDirty());
    EXPECT_FALSE(ours->GetOutput()->GetCudaDataManager()->IsGPUBufferDirty());
    EXPECT_FALSE(image->GetCudaDataManager()->IsCPUBufferDirty());
    host->SetInput(image);
    host->SetDevice("cpu");
    host->SetFullyConnected(fully);
    host->SetMinimumObjectSize(2);
    host->Update();
    EXPECT_GT(ours->GetObjectCount(), 1u);
    EXPECT_EQ(ours->GetObjectCount(), host->GetObjectCount());
    EXPECT_EQ(brickccl::testing::PixelsOf(ours->GetOutput()), brickccl::testing::PixelsOf(host->GetOutput()));
  }
}

} // namespace
