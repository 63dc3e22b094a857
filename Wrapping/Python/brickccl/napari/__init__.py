"""The napari plugin: a widget that labels components, and one that cleans a segmentation.

napari finds them by `napari.yaml`. They need `pip install brickccl[napari]`; nothing of napari is imported before that.
"""
