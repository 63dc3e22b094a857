# SPDX-License-Identifier: Apache-2.0
"""Functions with the arguments, defaults, results and errors of other libraries, for one changed import.

>>> from brickccl.compat.scipy import label            # scipy.ndimage
>>> from brickccl.compat.skimage import label          # skimage.measure, skimage.morphology
>>> from brickccl.compat.cc3d import connected_components
>>> from brickccl.compat.cupy import label             # cupyx.scipy.ndimage

Options that the engine lacks raise NotImplementedError; the README has a table of differences. `threads` of this
module sets the number of CPU threads for all of them.
"""

#: The number of CPU threads; None for all.
threads: int | None = None
