#ifndef BRICKCCL_CUDA_EARLYUPLOAD_H
#define BRICKCCL_CUDA_EARLYUPLOAD_H

#include "BrickCCL/Host/ArrivingBytes.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace brickccl::cuda
{

/** When bytes go to a device while they arrive. Nothing but speed depends on it. */
struct EarlyUploadTuning
{
  /** Fewer bytes are left to what uploads them later. */
  std::size_t leastBytes;
  /** So many times the bytes must fit the free memory of the device: what labels them needs room, too. */
  std::size_t  roomInBytes;
  const char * measured;

  /** The row for devices; on the host, for tests, every size goes up. */
  static const EarlyUploadTuning & Usual();
};

/** Copies bytes to a CUDA device while they arrive on the host, on a thread of its own, which waits for the device's
 *  context first. What fails there ends the copying and nothing else: what was not copied is left to the caller. */
class EarlyUpload
{
public:
  /** \param device  says which device it is, or -1 for none; it is called on that thread, if there are enough bytes */
  EarlyUpload(std::shared_ptr<ArrivingBytes> bytes,
              std::function<int()>           device,
              const EarlyUploadTuning &      tuning = EarlyUploadTuning::Usual());
  ~EarlyUpload();
  EarlyUpload(const EarlyUpload &) = delete;
  EarlyUpload & operator=(const EarlyUpload &) = delete;

  /** The memory of a device where bytes of the host belong, and how many of them, from the first on, are there. */
  struct Place
  {
    unsigned char * data = nullptr;
    std::size_t     uploaded = 0;

    /** The place of `size` of these bytes, from `begin` on. */
    Place Part(std::size_t begin, std::size_t size) const;
  };

  /** Ends the copying. \return the place on this device of these bytes, if they are those that arrived. It stays as
   *  long as this object. The next call returns none. */
  Place Finish(int device, const void * data, std::size_t size);

  /** How many bytes have been sent so far. */
  std::size_t Sent() const;

private:
  class State;
  std::unique_ptr<State> m_State;
};

} // namespace brickccl::cuda

#endif
