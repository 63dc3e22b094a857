// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace brickccl::cuda
{

/** The devices that this machine can use. Asking never throws. */
struct DeviceList
{
  /** One line per usable device. Its index comes first: "cuda:0: NVIDIA H200, compute capability 9.0, 139.8 GiB". */
  std::vector<std::string> descriptions;
  /** Says why there is no usable device, if there is none. */
  std::string reason;
};

DeviceList ListDevices();

/** Makes the device's context, so that the first labeling need not: it takes tenths of a second. Errors show in that
 *  labeling. */
void PrepareDevice(int device);

/** The free memory of a device in bytes. \throws DeviceError. */
std::size_t FreeMemory(int device);

} // namespace brickccl::cuda
