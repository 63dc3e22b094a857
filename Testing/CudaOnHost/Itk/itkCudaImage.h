// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CUDAONHOST_ITKCUDAIMAGE_H
#define BRICKCCL_TESTING_CUDAONHOST_ITKCUDAIMAGE_H

/** As much of ITKCudaCommon 2.1 as BrickCudaConnectedComponentImageFilter needs, written anew from its interface, so
 * that the filter is tested where that module is not. It counts what goes between host and device. */

#include "cuda_runtime.h"

#include "itkImage.h"
#include "itkImageToImageFilter.h"
#include "itkObject.h"

#include <cstddef>
#include <vector>

#define CUDA_CHECK(call)                                                                                               \
  do                                                                                                                   \
  {                                                                                                                    \
    if ((call) != cudaSuccess)                                                                                         \
    {                                                                                                                  \
      itkGenericExceptionMacro("a call of CUDA failed");                                                               \
    }                                                                                                                  \
  } while (false)

namespace itk
{

/** Two buffers, either of which may be older than the other. */
class CudaDataManager : public Object
{
public:
  using Self = CudaDataManager;
  using Superclass = Object;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  itkNewMacro(Self);
  itkTypeMacro(CudaDataManager, Object);

  static inline std::size_t uploads = 0;
  static inline std::size_t downloads = 0;

  void
  SetBuffer(void * host, std::size_t bytes)
  {
    m_Host = host;
    m_Device.assign(bytes, 0x5a);
    m_Pointer = m_Device.data();
    m_IsHostOld = true;
    m_IsDeviceOld = true;
  }
  bool
  IsCPUBufferDirty() const
  {
    return m_IsHostOld;
  }
  bool
  IsGPUBufferDirty() const
  {
    return m_IsDeviceOld;
  }
  void
  SetCPUDirtyFlag(bool isOld)
  {
    m_IsHostOld = isOld;
  }
  void
  SetGPUDirtyFlag(bool isOld)
  {
    m_IsDeviceOld = isOld;
  }
  void
  UpdateCPUBuffer()
  {
    if (m_IsDeviceOld)
    {
      m_IsHostOld = false;
    }
    else if (m_IsHostOld)
    {
      cudaMemcpy(m_Host, m_Pointer, m_Device.size(), cudaMemcpyDeviceToHost);
      ++downloads;
      m_IsHostOld = false;
    }
  }
  void *
  GetGPUBufferPointerPtr()
  {
    if (m_IsDeviceOld && !m_IsHostOld)
    {
      cudaMemcpy(m_Pointer, m_Host, m_Device.size(), cudaMemcpyHostToDevice);
      ++uploads;
    }
    m_IsDeviceOld = false;
    m_IsHostOld = true;
    return &m_Pointer;
  }

protected:
  CudaDataManager() = default;

private:
  void *                     m_Host = nullptr;
  void *                     m_Pointer = nullptr;
  std::vector<unsigned char> m_Device;
  bool                       m_IsHostOld = false;
  bool                       m_IsDeviceOld = false;
};

template <typename TPixel, unsigned int VDimension>
class CudaImage : public Image<TPixel, VDimension>
{
public:
  using Self = CudaImage;
  using Superclass = Image<TPixel, VDimension>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  itkNewMacro(Self);
  itkTypeMacro(CudaImage, Image);

  void
  Allocate(bool isInitialized = false) override
  {
    Superclass::Allocate(isInitialized);
    m_DataManager->SetBuffer(Superclass::GetBufferPointer(),
                             sizeof(TPixel) * this->GetBufferedRegion().GetNumberOfPixels());
    m_DataManager->SetCPUDirtyFlag(!isInitialized);
  }
  TPixel *
  GetBufferPointer() override
  {
    m_DataManager->UpdateCPUBuffer();
    m_DataManager->SetGPUDirtyFlag(true);
    return Superclass::GetBufferPointer();
  }
  const TPixel *
  GetBufferPointer() const override
  {
    m_DataManager->UpdateCPUBuffer();
    m_DataManager->SetGPUDirtyFlag(true);
    return Superclass::GetBufferPointer();
  }
  CudaDataManager::Pointer
  GetCudaDataManager() const
  {
    return m_DataManager;
  }

protected:
  CudaImage() = default;

private:
  CudaDataManager::Pointer m_DataManager = CudaDataManager::New();
};

} // namespace itk

#endif
