#ifndef BRICKCCL_CUDA_DEVICES_H
#define BRICKCCL_CUDA_DEVICES_H

#include <string>
#include <vector>

namespace brickccl::cuda
{

/** What the machine supports; asking never throws. */
struct DeviceList
{
  /** One line per usable device, its index first: "cuda:0: NVIDIA H200, compute capability 9.0, 139.8 GiB". */
  std::vector<std::string> descriptions;
  /** Why there is none, if there is none. */
  std::string reason;
};

DeviceList ListDevices();

/** Makes the device's context, which takes tenths of a second, so that the first labeling finds it there. What goes
 * wrong is told by that labeling. */
void PrepareDevice(int device);

} // namespace brickccl::cuda

#endif
