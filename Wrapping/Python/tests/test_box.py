# SPDX-License-Identifier: Apache-2.0
"""`box=` of label and find, beside a labeling of the cut array."""

import unittest

import numpy as np
from scipy import ndimage

import brickccl


class BoxTest(unittest.TestCase):
    def setUp(self):
        self.image = np.random.default_rng(5).random((9, 14, 11)) < 0.4

    def test_labels_are_those_of_the_cut_array(self):
        for box in (np.s_[2:7, 3:12, 1:9], np.s_[2:7], np.s_[..., 4:-2], np.s_[:, 5:6, :], np.s_[::2, 1:99, :]):
            labels, count = brickccl.label(self.image, box=box, return_count=True)
            expected, own = ndimage.label(self.image[box]) if box != np.s_[::2, 1:99, :] else (None, None)
            outside = labels.copy()
            outside[box] = 0
            self.assertFalse(outside.any())
            if own is not None:
                np.testing.assert_array_equal(labels[box], expected)
                self.assertEqual(count, own)
            else:
                np.testing.assert_array_equal(labels[box] != 0, self.image[box])
            self.assertEqual(brickccl.find(self.image, box=box).count, count)

    def test_objects_of_scipy_are_boxes(self):
        labels, _ = ndimage.label(self.image)
        for number, box in enumerate(ndimage.find_objects(labels), 1):
            self.assertEqual(brickccl.find(labels == number, box=box).count, 1)

    def test_a_mask_and_a_box_are_intersected(self):
        mask = np.random.default_rng(6).integers(0, 3, self.image.shape).astype(np.float32)
        box = np.s_[1:8, 2:13, 3:10]
        inside = np.zeros(self.image.shape, bool)
        inside[box] = True
        np.testing.assert_array_equal(
            brickccl.label(self.image, mask=mask, box=box), ndimage.label(self.image & inside & (mask != 0))[0]
        )

    def test_other_boxes_are_refused(self):
        for box, saying in (((1, 2, 3), "box must be slices such as"), (np.s_[99:], "has no voxel of the image"),
                            (np.s_[:, :, :, :], "box does not fit the image, whose shape is \\(9, 14, 11\\)"),
                            ([[0, 5], [0, 5], [0, 5]], "box must be slices")):
            with self.assertRaisesRegex((TypeError, ValueError), saying):
                brickccl.label(self.image, box=box)


if __name__ == "__main__":
    unittest.main()
