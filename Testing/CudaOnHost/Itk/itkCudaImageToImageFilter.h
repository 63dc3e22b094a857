// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CUDAONHOST_ITKCUDAIMAGETOIMAGEFILTER_H
#define BRICKCCL_TESTING_CUDAONHOST_ITKCUDAIMAGETOIMAGEFILTER_H

#include "itkCudaImage.h"

namespace itk
{

/** See itkCudaImage.h. */
template <typename TInputImage, typename TOutputImage, typename TParentFilter>
class CudaImageToImageFilter : public TParentFilter
{
public:
  using Self = CudaImageToImageFilter;
  using Superclass = TParentFilter;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  itkNewMacro(Self);
  itkTypeMacro(CudaImageToImageFilter, TParentFilter);

  itkSetMacro(GPUEnabled, bool);
  itkGetConstMacro(GPUEnabled, bool);
  itkBooleanMacro(GPUEnabled);

  void
  GenerateData() override
  {
    if (m_GPUEnabled)
    {
      this->AllocateOutputs();
      this->GPUGenerateData();
    }
    else
    {
      Superclass::GenerateData();
    }
  }

protected:
  CudaImageToImageFilter() = default;

  virtual void
  GPUGenerateData()
  {}

private:
  bool m_GPUEnabled{ true };
};

} // namespace itk

#endif
