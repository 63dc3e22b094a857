# SPDX-License-Identifier: Apache-2.0
"""`brickccl recipe`: what is wrong in a recipe is said before any work, with its line and what would be right."""

import json
import re
import unittest

from support import CommandTest, run

READY = ["casting-porosity", "foam-pores", "log-defects", "lung-nodules", "print-porosity"]


class RecipeTest(CommandTest):
    def recipe(self, text):
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write(text)
        return self.path("r.toml")

    def refuses(self, text, line, *saying):
        result = run("recipe", "check", self.recipe(text))
        self.assertEqual(result.returncode, 1, result.stdout)
        faults = [fault for fault in result.stderr.splitlines() if "r.toml:%d: " % line in fault]
        self.assertTrue(faults, "no fault in line %d:\n%s" % (line, result.stderr))
        for part in saying:
            self.assertTrue(any(part in fault for fault in faults), part + " is not in\n" + result.stderr)
        return result

    def accepts(self, text):
        self.ok("recipe", "check", self.recipe(text))

    def test_misspelled_names(self):
        self.refuses("[labeling]\nconectivity = 26\n", 2, "[labeling] has no key 'conectivity'", "'connectivity'")
        self.refuses("[part]\nmethod = \"largest\"\nrange = [0, inf]\nerode = 1\n", 4, "did you mean 'erode_mm'")
        self.refuses("\n[labling]\nconnectivity = 26\n", 2, "no table [labling]", "'labeling'")
        self.refuses("[labeling]\ncriterion = \"tolerence\"\n", 2, "'tolerance'")
        self.refuses("[[acceptance]]\nrule = \"porosty\"\n", 2, "did you mean 'porosity'")
        self.refuses("[selection]\nkeep = \"volume_mm > 2\"\n", 2, "'volume_mm'", "did you mean 'volume_mm3'")
        self.refuses("[measuring]\ncolumns = [\"shap\"]\n", 2, "'shap'")
        # Only `label --equal-value` measures it.
        self.refuses("[measuring]\ncolumns = [\"value\"]\n", 2, "the column 'value', which no table has")
        self.refuses("[selection]\nkeep = \"value > 2\"\n", 2, "the column 'value', which no table has")

    def test_misspelled_tables_and_keys_at_once(self):
        text = ("[selction]\nkep = \"volume_mm3 > 2\"\n[labeling]\nconectivity = 26\n[prt]\nmethod = \"pores\"\n"
                "[[acceptence]]\nrule = \"near-surface\"\n[[acceptance]]\nrule = \"numbr\"\nat_mst_count = 3\n")
        faults = [(1, "no table [selction] (did you mean 'selection'?)"), (4, "'conectivity' (did you mean 'connectivity'?)"),
                  (5, "no table [prt] (did you mean 'part'?)"), (7, "no table [acceptence] (did you mean 'acceptance'?)"),
                  (10, "did you mean 'number'?"), (11, "'at_mst_count' (did you mean 'at_most_count'?)")]
        for line, saying in faults:
            result = self.refuses(text, line, saying)
        # A misspelled key is not called missing as well.
        self.assertIn("the recipe has %d faults" % len(faults), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1 + len(faults), result.stderr)

    def test_keys_in_the_wrong_place(self):
        text = "connectivity = 26\nkeepp = 1\n[cleaning]\nminimum_size = 3\n[selection]\nmaximum_size = 3\nminimum_siz = 3\nfrobnicate = 3\n"
        for line, saying in ((1, "'connectivity' is above all tables; it is a key of [labeling]"),
                             (2, "'keepp' is above all tables (did you mean 'keep' of [selection]?)"),
                             (3, "no table [cleaning]; there are recipe"),
                             (6, "[selection] has no key 'maximum_size'; it is a key of [labeling]"),
                             (7, "did you mean 'minimum_size' of [labeling]?"), (8, "there are keep")):
            result = self.refuses(text, line, saying)
        self.assertIn("the recipe has 6 faults", result.stderr)
        result = self.refuses("[part]\nmethod = \"pores\"\n[parts]\nrange = [5, inf]\n", 3, "did you mean 'part'")
        self.assertIn("the recipe has a fault", result.stderr)
        self.fails("recipe", "casting-porosity", saying="see `brickccl recipe explain casting-porosity`")
        self.fails("recipe", "list", saying="see `brickccl recipe --help`")

    def test_thresholds_that_are_numbers(self):
        part = "[part]\nmethod = \"pores\"\nthreshold = %s\n"
        for number, said in (("1200", "1200"), ("-0.5", "-0.5"), ("1e3", "1000"), ("0x10", "16"), ("1_000", "1000"),
                             ("9007199254740993", "9007199254740993"), ("1e20", "1e+20"), ("-9223372036854775807", "-9223372036854775807")):
            explained = self.ok("recipe", "explain", self.recipe(part % number)).stdout
            self.assertIn("piece of material (values from %s to inf) with its pores" % said, explained)
            explained = self.ok("recipe", "explain", self.recipe("[threshold]\nmethod = %s\n" % number)).stdout
            self.assertIn("Voxels below %s may belong to defects" % said, explained)
        named = self.ok("recipe", "explain", self.recipe("[recipe]\nname = \"\\u001b[31mred\"\n")).stdout
        self.assertNotIn("\x1b", named)
        self.assertIn("at or above 7 may", self.ok("recipe", "explain", self.recipe("[threshold]\nmethod = 7\nside = \"above\"\n")).stdout)
        for value, saying in (("inf", "a number, such as 1200"), ("nan", "a number, such as 1200"),
                              ("true", "a number, such as 1200"), ("[1200, inf]", "a number, such as 1200"), ("\"otsi\"", "did you mean 'otsu'")):
            self.refuses(part % value, 3, "part.threshold", saying)
            self.refuses("[threshold]\nmethod = %s\n" % value, 2, "threshold.method", saying)
        self.refuses(part % "1e400", 3, "too large")
        self.refuses(part % "1200" + "range = [1200, inf]\n", 4, "part.range and part.threshold cannot be combined")
        self.refuses("[part]\nmethod = \"largest\"\nthreshold = 50\nfill_holes = \"none\"\n[threshold]\nrange = [0, 49]\n", 6,
                     "no item could have a defect")
        schema = json.loads(self.ok("recipe", "schema").stdout)["properties"]
        for table, key in (("part", "threshold"), ("threshold", "method")):
            self.assertEqual(schema[table]["properties"][key]["type"], ["number", "string"])
            self.assertIn("a number, or how", schema[table]["properties"][key]["description"])

    def test_kinds_and_limits(self):
        self.refuses("[labeling]\nconnectivity = \"some\"\n", 2, "labeling.connectivity is 'some'", "a number of neighbors")
        self.refuses("[labeling]\nconnectivity = 5\n", 2, "4 or 8 in slices, 6, 18 or 26 in volumes")
        self.refuses("[labeling]\nminimum_size = -1\n", 2, "a whole number of at least 0")
        self.refuses("[threshold]\nrange = [5, 1]\n", 2, "the lower one first")
        self.refuses("[threshold]\nrange = [nan, 1]\n", 2, "two numbers")
        said = self.ok("recipe", "explain", self.recipe("[threshold]\nrange = [-9007199254740993, 9007199254740993]\n")).stdout
        self.assertIn("from -9007199254740993 to 9007199254740993", said)
        self.refuses("[threshold]\nmethod = \"otsi\"\n", 2, "otsu")
        self.refuses("[input]\nspacing_mm = [0, 1, 1]\n", 2, "above 0")
        self.refuses("[outputs]\npictures = \"yes\"\n", 2, "true or false")
        self.refuses("acceptance = 1\n", 1, "[[acceptance]]")
        self.refuses("[acceptance]\nrule = \"number\"\n", 1, "[[acceptance]]")
        self.refuses("labeling = 1\n", 1, "[labeling]")
        self.refuses("[recipe]\nschema = 2\n", 2, "it must be 1")

    def test_numbers_that_no_double_stands_for(self):
        text = "[labeling]\ncriterion = \"tolerance\"\nminimum_volume_mm3 = %s\n"
        self.refuses(text % "\"1e-400 cm3\"", 3, "labeling.minimum_volume_mm3 is ", "too close to 0")
        for number in ("1e400", "-1e4_00", "\"1e400 mm3\""):
            self.refuses(text % number, 3, "too large")
        self.refuses("[input]\nspacing_mm = [1.0, 1.0, 1e400]\n", 2, "'1e400'", "too large")
        self.refuses("[selection]\nkeep = \"volume_mm3 > 1e400\"\n", 2, "too large")
        for number in ("0e-400", "1e-300", "1.7976931348623158e308", "\"0e-400 mm3\""):
            self.accepts(text % number + "tolerance = 1\n")

    def test_units(self):
        self.refuses("[labeling]\nminimum_volume_mm3 = \"2 mm\"\n", 2, "a number of at least 0 (mm3")
        self.refuses("[labeling]\nminimum_volume_mm3 = \"2 kg\"\n", 2, "0.02 mm3")
        self.refuses("[smoothing]\nfilter = \"gaussian\"\ndeviation_mm = \"1 mm3\"\n", 3, "500 um")
        self.refuses("[labeling]\ncriterion = \"tolerance\"\ntolerance = \"3 mm\"\n", 3, "a number of at least 0")
        text = "[smoothing]\nfilter = \"gaussian\"\ndeviation_mm = %s\n"
        said = [self.ok("recipe", "explain", self.recipe(text % value)).stdout
                for value in ("0.5", "\"500 um\"", "\"0.05 cm\"")]
        self.assertIn("gaussian:0.5", said[0])
        self.assertEqual(said, [said[0]] * 3)
        text = "[labeling]\nminimum_volume_mm3 = %s\n"
        said = [self.ok("recipe", "explain", self.recipe(text % value)).stdout for value in ("2000", "\"2 cm3\"", "\"2cm^3\"")]
        self.assertIn("smaller than 2000 mm3", said[0])
        self.assertEqual(said, [said[0]] * 3)
        text = "[labeling]\nby_slice = \"z\"\nminimum_volume_mm3 = %s\n"
        for value in ("200", "\"200 mm2\"", "\"2 cm^2\""):
            self.assertIn("smaller than 200 mm2", self.ok("recipe", "explain", self.recipe(text % value)).stdout)
        said = self.ok("recipe", "explain", self.recipe("[input]\nspacing_mm = [\"500 um\", 0.5, \"0.1 cm\"]\n")).stdout
        self.assertIn("0.5 x 0.5 x 1 mm", said)
        self.refuses("[input]\nspacing_mm = [\"2 mm3\", 1, 1]\n", 2, "lengths such as")
        # A limit has the unit of its column.
        rule = "[[acceptance]]\nrule = \"largest\"\nat_most = %s\ncolumn = \"%s\"\n"
        for column, values in (("equivalent_spherical_diameter_mm", ("1.5", "\"1500 um\"", "\"0.15 cm\"")), ("volume_mm3", ("2000", "\"2 cm3\""))):
            said = [self.ok("recipe", "explain", self.recipe(rule % (value, column))).stdout for value in values]
            self.assertIn("is at most %s mm" % values[0], said[0])
            self.assertEqual(said, [said[0]] * len(said))
        self.refuses(rule % ("\"1500 um\"", "volume_mm3"), 3, "it must be a number (mm3, or with a unit, such as \"0.02 mm3\")")
        self.refuses(rule % ("\"2 mm3\"", "area_mm2"), 3, "it must be a number (mm2, or with a unit, such as \"0.02 mm2\")")
        self.refuses(rule % ("\"1500 um\"", "voxel_count"), 3, "at_most is '1500 um'; it must be a number")
        self.refuses("[[acceptance]]\nrule = \"largest\"\nat_most = \"1 mm\"\n", 3, "at_most is '1 mm'; it must be a number")

    def test_contradictions(self):
        self.refuses("[labeling]\nconnectivity = 26\nby_slice = \"z\"\n", 2, "use 4 or 8")
        self.refuses("[labeling]\nneighborhood = \"8+z\"\nby_slice = \"z\"\n", 3, "cannot be combined")
        self.refuses("[labeling]\nneighborhood = \"9+z\"\n", 2, "labeling.neighborhood", "9+z")
        self.refuses("[labeling]\nneighborhood = \"8+t\"\n", 2, "names the axis t")
        self.refuses("[labeling]\nperiodic = \"x\"\n", 2, "periodic")
        self.accepts("[labeling]\nneighborhood = \"2+y\"\n")
        self.assertIn("each voxel has the neighbors 8+z", self.ok("recipe", "explain", self.recipe("[labeling]\nneighborhood = \"8+z\"\n")).stdout)
        self.refuses("[labeling]\nminimum_size = 9\nmaximum_size = 3\n", 2, "no component would be kept")
        self.refuses("[labeling]\ntolerance = 3\n", 2, "criterion = \"tolerance\"")
        self.refuses("[labeling]\ncriterion = \"tolerance\"\n", 2, "needs labeling.tolerance")
        self.refuses("[part]\nrange = [0, 1]\n", 2, "part.method = \"pores\" or \"largest\"")
        self.refuses("[part]\nmethod = \"pores\"\nrange = [0, 1]\nfill_holes = \"slices\"\n", 4, "part.method = \"pores\" cannot be combined")
        self.refuses("[part]\nmethod = \"largest\"\nrange = [0, 1]\nclose_mm = 2\n", 4, "needs part.method = \"pores\"")
        self.refuses("[part]\nmethod = \"pores\"\nrange = [0, 1]\n[labeling]\ncriterion = \"equal-value\"\n", 5, "needs [threshold]")
        self.refuses("[part]\nmethod = \"largest\"\n", 2, "part.range or part.threshold")
        self.refuses("[threshold]\nrange = [0, 1]\nmethod = \"otsu\"\n", 3, "leave one of them out")
        self.refuses("[threshold]\nrange = [0, 1]\nside = \"below\"\n", 3, "needs threshold.method")
        self.refuses("[smoothing]\nfilter = \"median\"\ndeviation_mm = 1\n", 3, "needs smoothing.filter = \"gaussian\"")
        self.refuses("[smoothing]\nfilter = \"gaussian\"\n", 2, "needs smoothing.deviation_mm")
        self.refuses("[selection]\nkeep = \"surface_distance_mm < 2\"\n", 2, "surface of the part")
        self.refuses("[selection]\nkeep = \"intensity_mean < 2\"\n", 2, "measuring.intensity = true")
        self.refuses("[[acceptance]]\nrule = \"near-surface\"\nwithin_mm = 1\nat_most_count = 0\n", 2, "surface of the part")
        self.accepts("[selection]\nkeep = \"intensity_mean < 2\"\n[measuring]\nintensity = true\n")
        self.refuses("[measuring]\nnan = \"ignore\"\n", 2, "measuring.nan needs measuring.intensity")
        self.refuses("[measuring]\nintensity = true\nnan = \"drop\"\n", 3, "ignore")

    def test_ranges_that_find_nothing(self):
        part = "[part]\nmethod = \"%s\"\nrange = %s\n"
        nothing = "fill_holes = \"none\"\n[threshold]\nrange = "
        for method in ("largest", "largest-inside"):
            for defects in ("[0, 49]", "[256, 300]"):
                self.refuses(part % (method, "[50, 255]") + nothing + defects + "\n", 6, "no item could have a defect")
            self.accepts(part % (method, "[50, 255]") + nothing + "[0, 50]\n")
            self.accepts(part % (method, "[50, 255]") + "[threshold]\nrange = [0, 49]\n")

    def test_thresholds_that_find_nothing(self):
        text = "[part]\nmethod = \"%s\"\n%s\nfill_holes = \"%s\"\n[threshold]\nmethod = %s\nside = \"%s\"\n"
        for method in ("largest", "largest-inside"):
            for part, number, side in (("threshold = 100", "50", "below"), ("threshold = 100", "100", "below"), ("range = [5, 9]", "5.0", "below"),
                                       ("range = [5, 9]", "10", "above"), ("range = [5, 9]", "9.5", "above")):
                result = self.refuses(text % (method, part, "none", number, side), 6, "threshold.method and the part's material have no value",
                                      "no item could have a defect")
                self.assertIn("has a fault:", result.stderr)
                self.accepts(text % (method, part, "volume", number, side))
            for part, number, side in (("threshold = 100", "100.5", "below"), ("threshold = 100", "50", "above"), ("range = [5, 9]", "9", "above"),
                                       ("threshold = 100", "\"otsu\"", "below"), ("threshold = \"otsu\"", "50", "below")):
                self.accepts(text % (method, part, "none", number, side))

    def test_explain_says_that_nan_is_left_out(self):
        for rule, isSaid in (("keep", False), ("ignore", True)):
            said = self.ok("recipe", "explain", self.recipe("[measuring]\nintensity = true\nnan = \"%s\"\n" % rule)).stdout
            self.assertEqual("NaN are left out of measures of intensity" in said, isSaid, said)

    def test_what_explain_says_of_the_part(self):
        text = "[part]\nmethod = \"pores\"\nrange = [5, inf]\n%s[[acceptance]]\nrule = \"porosity\"\nat_most_percent = 1\n"
        said = self.ok("recipe", "explain", self.recipe(text % "")).stdout
        self.assertIn("Only closed pores count: a pore with even a one-voxel opening to the outside belongs to the outside; "
                      "part.close_mm closes openings.", said)
        self.assertIn("at most 1 % of the part\n", said)
        said = self.ok("recipe", "explain", self.recipe(text % "close_mm = 2\nerode_mm = 0.5\n")).stdout
        self.assertIn("unless the opening is at most this wide. Its core consists of the voxels deeper than 0.5 mm", said)
        self.assertIn("at most 1 % of the part's core\n", said)

    def test_rules(self):
        self.refuses("[[acceptance]]\nname = \"x\"\n", 1, "has no rule", "porosity")
        self.refuses("[[acceptance]]\nrule = \"porosity\"\n", 1, "needs at_most_percent")
        self.refuses("[[acceptance]]\nrule = \"porosity\"\nat_most_percent = 101\n", 3, "from 0 to 100")
        self.refuses("[[acceptance]]\nrule = \"number\"\nat_most_count = 1\nwithin_mm = 2\n", 4, "takes no within_mm")
        self.refuses("[[acceptance]]\nrule = \"number\"\nat_most_count = 1\nwhere = \"volume_mm3 >\"\n", 4, "acceptance.where")
        self.refuses("[[acceptance]]\nrule = \"largest\"\ncolumn = \"volum_mm3\"\nat_most = 1\n", 3, "'volume_mm3'")

    def test_names_of_rules_and_an_empty_recipe(self):
        rule = "[[acceptance]]\nrule = \"number\"\nat_most_count = 1\n"
        self.accepts(rule + rule)
        self.refuses(rule + "name = \"x\"\n" + rule + "name = \"x\"\n", 8, "acceptance.name is 'x', the name of another rule")
        self.refuses("# nothing\n", 1, "the recipe is empty; `brickccl recipe new` writes one")

    def test_rules_that_all_defects_meet_or_none(self):
        rule = "[[acceptance]]\nrule = \"%s\"\n"
        largest = rule % "largest" + "column = \"%s\"\nat_most = %s\n"
        part = "[part]\nmethod = \"pores\"\nrange = [5, inf]\nerode_mm = 0.5\n"
        near = part + rule % "near-surface" + "within_mm = %s\nat_most_count = 0\n"
        for text, line, saying in (
                (rule % "number" + "at_most_count = 0\nwhere = \"1 < 0\"\n", 4, "acceptance.where names no column"),
                (rule % "number" + "at_most_count = 0\nwhere = \"\"\n", 4, "acceptance.where is empty"),
                ("[selection]\nkeep = \"2 > 1\"\n", 2, "selection.keep names no column"),
                ("[selection]\nkeep = \"\"\n", 2, "selection.keep is empty"),
                (largest % ("", 1), 3, "names the column ''"),
                (largest % ("label", 3), 3, "acceptance.column names 'label', a number of a component; name a measure"),
                (rule % "porosity" + "at_most_percent = 100\n", 3, "acceptance.at_most_percent is 100: no item can fail"),
                (rule % "spacing" + "at_least_mm = 0\n", 3, "it must be a number above 0"),
                (near % 0.5, 7, "within_mm is 0.5, but part.erode_mm = 0.5 leaves out the defects so near to the surface")):
            with self.subTest(text):
                self.assertIn("has a fault:", self.refuses(text, line, saying).stderr)
        for text in (largest % ("volume_mm3", 0), near % 0.6):
            self.accepts(text)

    def test_keys_for_slices_and_keys_for_volumes(self):
        rule = "[[acceptance]]\nrule = \"%s\"\n"
        area = "column = \"area_mm2\"\nat_most = 3\n"
        cube = rule % "number-per-volume" + "at_most_count = 1\nreference_mm = 2\n"
        for text, line, *sayings in (
                ("[labeling]\nconnectivity = 26\n" + rule % "largest" + area, 5, "connectivity", "acceptance.column names the column 'area_mm2'"),
                (cube + "where = \"area_mm2 > 2\"\n", 5, "acceptance.where names the column 'area_mm2', which images of 3 dimensions",
                 "the rule number-per-volume needs a volume"),
                ("[labeling]\nby_slice = \"z\"\nminimum_volume_mm3 = \"2 cm3\"\n", 3, "is in mm3, but the components have 2 dimensions; give mm2"),
                ("[input]\nspacing_mm = [1, 1]\n" + cube, 4, "spacing_mm has 2 numbers, not one for each axis of images of 3 dimensions"),
                ("[labeling]\nby_slice = \"t\"\n", 2, "labeling.by_slice")):
            with self.subTest(text):
                self.refuses(text, line, "no image fits: ", *sayings)
        self.accepts("[labeling]\nconnectivity = 4\n" + cube)  # for volumes of one slice
        self.accepts("[labeling]\nconnectivity = 8\n" + rule % "largest" + area)

    def test_a_missing_key_is_explained_for_its_rule(self):
        for name, given, said in (("near-surface", "at_most_count = 1", "needs within_mm, the distance to the surface below which defects count\n"),
                                  ("number-per-volume", "at_most_count = 1", "needs reference_mm, the length of a side\n"),
                                  ("porosity", "", "needs at_most_percent, the highest share that passes\n")):
            self.assertIn(said, self.refuses("[[acceptance]]\nrule = \"%s\"\n%s\n" % (name, given), 1, name).stderr)

    def test_one_defect_is_not_several(self):
        part = "[part]\nmethod = \"pores\"\nrange = [5, inf]\n[[acceptance]]\nrule = \"%s\"\nat_most_count = %d\n%s\n"
        for rule, more, one, two in (
                ("number", "", "there is at most 1 defect\n", "there are at most 2 defects\n"),
                ("number-per-slice", "", "cuts at most 1 defect\n", "cuts at most 2 defects\n"),
                ("near-surface", "within_mm = 1", "at most 1 defect is nearer", "at most 2 defects are nearer"),
                ("number-per-area", "reference_mm = 1", "cuts at most 1 defect\n", "cuts at most 2 defects\n"),
                ("clusters", "within_mm = 1", "there is at most 1 cluster of", "there are at most 2 clusters of")):
            for count, said in ((1, one), (2, two)):
                self.assertIn(said, self.ok("recipe", "explain", self.recipe(part % (rule, count, more))).stdout)

    def test_a_refused_value_is_not_called_missing(self):
        for text, line in (
                ("[[acceptance]]\nrule = \"largest\"\ncolumn = \"volume_mm3\"\nat_most = \"x\"\n", 4),
                ("[[acceptance]]\nrule = \"porosity\"\nat_most_percent = 101\n", 3),
                ("[[acceptance]]\nrule = 5\nat_most_percent = 10\n", 2),
                ("[[acceptance]]\nrule = \"clusters\"\nat_most_count = 1\nwithin_mm = \"x\"\n", 4),
                ("[part]\nmethod = \"pores\"\nrange = 5\n[[acceptance]]\nrule = \"near-surface\"\nat_most_count = 1\n"
                 "within_mm = 1\n", 3),
                ("[part]\nmethod = 5\nrange = [1, 2]\n[[acceptance]]\nrule = \"near-surface\"\nat_most_count = 1\n"
                 "within_mm = 1\n", 2),
                ("[labeling]\ncriterion = \"tolerance\"\ntolerance = -1\n", 3),
                ("[labeling]\ncriterion = 5\ntolerance = 1\n", 2),
                ("[smoothing]\nfilter = \"gaussian\"\ndeviation_mm = \"x\"\n", 3),
                ("[smoothing]\nfilter = \"gauss\"\ndeviation_mm = 1\n", 2),
                ("[threshold]\nmethod = true\nside = \"above\"\n", 2),
                ("[measuring]\nintensity = 1\n[selection]\nkeep = \"intensity_mean > 3\"\n", 2)):
            with self.subTest(text):
                faults = self.refuses(text, line, "must be").stderr.splitlines()
                self.assertEqual(len([fault for fault in faults if "r.toml:" in fault]), 1, faults)

    def test_rules_on_regions(self):
        rule = "[[acceptance]]\nrule = \"%s\"\n"
        for name in ("clusters", "number-per-cluster"):
            self.refuses(rule % name + "at_most_count = 1\n", 1, name + " needs within_mm or within_diameters, not both")
            self.refuses(rule % name + "at_most_count = 1\nwithin_mm = 1\nwithin_diameters = 1\n", 1, "not both")
            self.refuses(rule % name + "at_most_count = 1\nwithin_mm = 0\n", 4, "within_mm is 0; it must be a number above 0")
            self.accepts(rule % name + "at_most_count = 1\nwithin_mm = \"500 um\"\n")
        self.refuses(rule % "near-surface" + "at_most_count = 1\n", 1, "near-surface needs within_mm")
        self.refuses(rule % "porosity-per-area" + "at_most_percent = 1\n", 1, "needs reference_mm")
        self.refuses(rule % "porosity-per-area" + "at_most_percent = 1\nreference_mm = 0\n", 4, "reference_mm is 0; it must be a number above 0")
        self.refuses(rule % "porosity-per-volume" + "at_most_percent = 1\nreference_mm = 1\nacross = \"x\"\n", 5, "takes no across")
        self.refuses(rule % "porosity-per-volume" + "at_most_percent = 1\nreference_mm = 1\nleast_part_percent = 50\n", 5,
                     "least_part_percent needs a part")
        self.refuses(rule % "volume-of-cluster" + "within_mm = 1\n", 1, "needs at_most_mm3")
        for text, saying in (
                ("porosity-per-area\"\nreference_mm = 5\nat_most_percent = 3\nacross = \"x\"",
                 "defects fill at most 3 % of every square of 5 mm a side, wherever it is in the slices across x"),
                ("porosity-per-volume\"\nreference_mm = 5\nat_most_percent = 3\nleast_part_percent = 90",
                 "defects fill at most 3 % of the part in every cube of 5 mm a side, wherever it is in the image, of which at "
                 "least 90 % are in the part"),
                ("number-per-volume\"\nreference_mm = 5\nat_most_count = 3\nwhere = \"voxel_count > 9\"",
                 "every cube of 5 mm a side, wherever it is in the image, cuts at most 3 defects; only defects with voxels > 9 count"),
                ("clusters\"\nwithin_mm = 1\nat_most_count = 0",
                 "there are at most 0 clusters of two or more defects with a gap below 1 mm"),
                ("number-per-cluster\"\nwithin_diameters = 1.5\nat_most_count = 2",
                 "no cluster of defects with a gap below 1.5 times the equivalent diameter of the larger one (a single defect is a "
                 "cluster as well) has more than 2 of them"),
                ("volume-of-cluster\"\nwithin_mm = 1\nat_most_mm3 = 2", "has more than 2 mm3"),
                ("size-of-cluster\"\nwithin_mm = 1\nat_most_mm = 2", "reaches over more than 2 mm")):
            head = "[part]\nmethod = \"pores\"\nrange = [5, inf]\n"
            said = self.ok("recipe", "explain", self.recipe(head + "[[acceptance]]\nrule = \"" + text + "\n")).stdout
            self.assertIn(saying, said)

    def test_all_faults_at_once(self):
        result = self.refuses("[labeling]\nconnectivity = 5\n[part]\nrange = [1, 0]\nx = 1\n", 2, "labeling.connectivity")
        self.assertIn("the recipe has 3 faults", result.stderr)
        self.assertIn("r.toml:4: ", result.stderr)
        self.assertIn("r.toml:5: ", result.stderr)

    def test_not_toml(self):
        self.refuses("[labeling]\nconnectivity =\n", 2, "this is not TOML")
        with open(self.path("r.toml"), "wb") as stream:
            stream.write(bytes(range(256)))
        result = run("recipe", "check", self.path("r.toml"))
        self.assertEqual(result.returncode, 1)
        self.fails("recipe", "check", self.folder, saying="it is neither a file nor a ready recipe")
        self.fails("recipe", "check", self.path("none.toml"), saying=["there is no recipe", "casting-porosity"])

    def test_ready_recipes(self):
        for name in READY:
            self.assertIn("is right", self.ok("recipe", "check", name).stdout)
            self.ok("recipe", "new", name, "-o", self.path(name + ".toml"))
            self.ok("recipe", "check", self.path(name + ".toml"))
            self.assertIn("An item passes if", self.ok("recipe", "explain", name).stdout)
        self.fails("recipe", "new", "casting-porosity", "-o", self.path("casting-porosity.toml"), saying="already exists")
        self.fails("recipe", "new", "nothing", saying=READY)

    def test_schema_of_options(self):
        options = json.loads(self.ok("recipe", "schema", "--options").stdout)["properties"]
        shown = set(re.findall(r"^  (?:-., )?--([a-z-]+)", self.ok("label", "--help-all").stdout, re.M))
        self.assertEqual(set(options), shown - {"help", "help-all", "record"})
        for name, least, most, default in (("threads", 0, 4096, 0), ("minimum-volume", 0, None, None), ("parts", None, None, "largest"),
                                           ("clear-border", None, None, False), ("maximum-size", 0, None, None), ("top", 1, None, None),
                                           ("connectivity", None, None, "faces"), ("tolerance", 0, None, None), ("memory", 1, None, None)):
            row = options[name]
            self.assertEqual((row.get("minimum"), row.get("maximum"), row["default"]), (least, most, default), name)
        self.assertEqual((options["order"]["enum"], options["close"]["unit"]), (["raster", "size"], "mm"))

    def test_schema(self):
        schema = json.loads(self.ok("recipe", "schema").stdout)
        rule = schema["properties"]["acceptance"]["items"]
        self.assertEqual(rule["required"], ["rule"])
        self.assertIn("near-surface", rule["properties"]["rule"]["enum"])
        # The check knows every name of the schema; what it does not name, the check refuses.
        for table, described in schema["properties"].items():
            self.assertFalse(described.get("items", described)["additionalProperties"])
            head = "[[%s]]" % table if described["type"] == "array" else "[%s]" % table
            for key in described.get("items", described)["properties"]:
                said = run("recipe", "check", self.recipe("%s\n%s = {}\n" % (head, key))).stderr
                self.assertIn("r.toml:2: %s.%s is " % (table, key), said)


if __name__ == "__main__":
    unittest.main()
