#ifndef BRICKCCL_DISPATCH_DEVICE_H
#define BRICKCCL_DISPATCH_DEVICE_H

#include <future>
#include <string>
#include <vector>

namespace brickccl
{

/** Where labeling runs. */
struct Device
{
  enum class Kind
  {
    /** The best that is there. */
    Auto,
    Cpu,
    Cuda
  };

  Kind kind = Kind::Auto;
  int  index = 0;

  /** "auto", "cpu", "cuda" or "cuda:N". \throws InvalidArgument otherwise. */
  static Device FromName(const std::string & name);

  std::string ToString() const;
};

/** What a device request comes to on this machine: the device used and, if that is not the one that was asked for,
 *  one sentence that says why. */
struct ResolvedDevice
{
  Device      device;
  std::string remark;
};

ResolvedDevice ResolveDevice(const Device & requested);

/** Begins to make ready a CUDA device that is asked for by name, on a thread of its own: work that is done meanwhile,
 * as reading a file, hides the tenths of a second that this takes. The end of the result's life waits for it. */
std::future<void> PrepareDevice(const Device & requested);

/** One line for each device that labeling can run on, the CPU first. */
std::vector<std::string> DescribeDevices();

} // namespace brickccl

#endif
