// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CUDA_STAGEDCOPY_CUH
#define BRICKCCL_CUDA_STAGEDCOPY_CUH

#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Host/Parallel.h"

#include <cstring>
#include <vector>

namespace brickccl::cuda
{

/** Copies between a device and memory that is not page-locked. Several threads copy pieces to or from page-locked
 *  buffers while other buffers are on their way. The buffers are kept for the next copy. */
class StagedCopy
{
public:
  StagedCopy() = default;
  StagedCopy(const StagedCopy &) = delete;
  StagedCopy & operator=(const StagedCopy &) = delete;
  ~StagedCopy()
  {
    for (const Slot & slot : m_Slots)
    {
      (void)cudaFreeHost(slot.data);
      (void)cudaEventDestroy(slot.event);
    }
  }

  /** Returns when `host` may be changed again. The device has all of it when the stream has reached that point.
   * Progress is reported after each piece, and the context may cancel before it. */
  void
  Upload(void * device, const void * host, std::size_t bytes, cudaStream_t stream, const HostContext & context)
  {
    auto *       to = static_cast<unsigned char *>(device);
    const auto * from = static_cast<const unsigned char *>(host);
    if (bytes < LeastBytes)
    {
      BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
      return;
    }
    Prepare();
    if (IsPageLocked(host))
    {
      UploadPageLocked(to, from, bytes, stream, context);
      return;
    }
    for (std::size_t piece = 0; piece * PieceBytes < bytes; ++piece)
    {
      const std::size_t begin = piece * PieceBytes;
      const std::size_t size = SizeOfPiece(piece, bytes);
      Slot &            slot = m_Slots[piece % SlotCount];
      BRICKCCL_CUDA_CHECK(cudaEventSynchronize(slot.event));
      context.progress.Update(static_cast<double>(begin) / static_cast<double>(bytes));
      CopyInParallel(slot.data, from + begin, size, context);
      BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(to + begin, slot.data, size, cudaMemcpyHostToDevice, stream));
      BRICKCCL_CUDA_CHECK(cudaEventRecord(slot.event, stream));
    }
  }

  /** Returns when all has arrived. */
  void
  Download(void * host, const void * device, std::size_t bytes, cudaStream_t stream, const HostContext & context)
  {
    auto *       to = static_cast<unsigned char *>(host);
    const auto * from = static_cast<const unsigned char *>(device);
    if (bytes < LeastBytes)
    {
      BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
      BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(stream));
      return;
    }
    Prepare();
    const std::size_t pieces = (bytes - 1) / PieceBytes + 1;
    for (std::size_t piece = 0; piece < pieces + SlotCount; ++piece)
    {
      Slot & slot = m_Slots[piece % SlotCount];
      BRICKCCL_CUDA_CHECK(cudaEventSynchronize(slot.event));
      if (piece >= SlotCount)
      {
        const std::size_t arrived = piece - SlotCount;
        if (arrived < pieces)
        {
          context.progress.Update(static_cast<double>(arrived) / static_cast<double>(pieces));
          CopyInParallel(to + arrived * PieceBytes, slot.data, SizeOfPiece(arrived, bytes), context);
        }
      }
      if (piece < pieces)
      {
        const std::size_t size = SizeOfPiece(piece, bytes);
        BRICKCCL_CUDA_CHECK(
          cudaMemcpyAsync(slot.data, from + piece * PieceBytes, size, cudaMemcpyDeviceToHost, stream));
        BRICKCCL_CUDA_CHECK(cudaEventRecord(slot.event, stream));
      }
    }
  }

private:
  struct Slot
  {
    unsigned char * data;
    cudaEvent_t     event;
  };

  static constexpr std::size_t PieceBytes = std::size_t{ 1 } << 23;
  static constexpr std::size_t SlotCount = 4;
  /** Smaller copies are not worth the buffers. */
  static constexpr std::size_t LeastBytes = std::size_t{ 1 } << 20;

  static std::size_t
  SizeOfPiece(std::size_t piece, std::size_t bytes)
  {
    return bytes - piece * PieceBytes < PieceBytes ? bytes - piece * PieceBytes : PieceBytes;
  }

  static bool
  IsPageLocked(const void * host)
  {
    cudaPointerAttributes attributes = {};
    BRICKCCL_CUDA_CHECK(cudaPointerGetAttributes(&attributes, host));
    return attributes.type == cudaMemoryTypeHost;
  }

  /** No copies are needed. A few pieces are on their way at a time, so that the context can end the copy. */
  void
  UploadPageLocked(unsigned char *       to,
                   const unsigned char * from,
                   std::size_t           bytes,
                   cudaStream_t          stream,
                   const HostContext &   context)
  {
    for (std::size_t piece = 0; piece * PieceBytes < bytes; ++piece)
    {
      const std::size_t begin = piece * PieceBytes;
      const Slot &      slot = m_Slots[piece % SlotCount];
      BRICKCCL_CUDA_CHECK(cudaEventSynchronize(slot.event));
      context.progress.Update(static_cast<double>(begin) / static_cast<double>(bytes));
      BRICKCCL_CUDA_CHECK(
        cudaMemcpyAsync(to + begin, from + begin, SizeOfPiece(piece, bytes), cudaMemcpyHostToDevice, stream));
      BRICKCCL_CUDA_CHECK(cudaEventRecord(slot.event, stream));
    }
    for (const Slot & slot : m_Slots)
    {
      BRICKCCL_CUDA_CHECK(cudaEventSynchronize(slot.event));
    }
  }

  void
  Prepare()
  {
    while (m_Slots.size() < SlotCount)
    {
      Slot slot = {};
      BRICKCCL_CUDA_CHECK(cudaEventCreateWithFlags(&slot.event, cudaEventDisableTiming));
      m_Slots.push_back(slot);
      BRICKCCL_CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&m_Slots.back().data), PieceBytes));
    }
  }

  static void
  CopyInParallel(unsigned char * to, const unsigned char * from, std::size_t bytes, const HostContext & context)
  {
    const Chunks chunks(static_cast<std::int64_t>(bytes), 1 << 18, EffectiveThreadCount(context.threads));
    ParallelFor(chunks.count, context.Silent(), [&](std::int64_t i) {
      const std::int64_t begin = chunks.Begin(i);
      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(chunks.End(i) - begin));
    });
  }

  std::vector<Slot> m_Slots;
};

} // namespace brickccl::cuda

#endif
