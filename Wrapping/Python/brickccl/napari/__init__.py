# SPDX-License-Identifier: Apache-2.0
"""The napari plugin: widgets to label components and to clean a segmentation, listed in `napari.yaml`. They need `pip
install brickccl[napari]`; napari is imported only then.
"""
