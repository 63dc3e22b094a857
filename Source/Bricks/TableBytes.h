#ifndef BRICKCCL_BRICKS_TABLEBYTES_H
#define BRICKCCL_BRICKS_TABLEBYTES_H

#include "BrickCCL/Bricks/BrickBox.h"
#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Measuring/MeasureOptions.h"
#include "BrickCCL/Tables/ComponentTable.h"

namespace brickccl
{

/** Writes what merging needs of a brick's table. */
void WriteTable(const ComponentTable & table, ByteWriter & writer);

/** Reads it. \param box  the brick that was measured. */
ComponentTable ReadTable(ByteReader & reader, const BrickBox & box);

} // namespace brickccl

#endif
