import xml.etree.ElementTree as ET

import numpy as np

from support.figures.dice import decision_map, roll
from support.figures.style import THEME
from support.games.three_dice import figures as three_dice


def test_dice_show_their_spots_and_what_is_held():
    picture = roll((1, 5, 6), held=(0,))
    root = ET.fromstring(picture.svg)
    tags = [element.tag.split("}")[1] for element in root.iter()]
    assert tags.count("circle") == 1 + 5 + 6
    assert tags.count("rect") == 3
    assert picture.svg.count('fill="var(--blue)"') == 1


def test_map_frames_the_states_that_stop_and_dots_those_that_differ():
    picture = decision_map({(1, 1): (0, 1), (1, 2): (0,)}, others={(1, 1): (0, 1), (1, 2): ()})
    root = ET.fromstring(picture.svg)
    tags = [element.tag.split("}")[1] for element in root.iter()]
    assert tags.count("rect") == 4 + 1
    assert picture.svg.count('fill="var(--orange)"') == 1


def test_pictures_follow_light_and_dark_and_are_the_same_bytes_each_time():
    draw = lambda: three_dice.convergence({"a": np.array([1, 0.1]), "b": np.array([1, 0.01])}, 0.05)  # noqa: E731
    svg = draw().svg
    assert svg == draw().svg
    ET.fromstring(svg)
    assert "prefers-color-scheme:dark" in svg
    light, dark = THEME["blue"]
    assert f"--blue:{light}" in svg
    assert f"--blue:{dark}" in svg
    assert svg.count(light) == 1  # nowhere but in the list of variables
    assert ">threshold</text>" in svg  # text stays text


def test_discounts_show_the_means_of_few_games_only_where_there_are_some():
    grid, scores = np.array([0, 0.95, 1]), [10.5, 13.0, 13.3]
    plain = three_dice.discounts(grid, scores, 0.95, 13.3).svg
    dotted = three_dice.discounts(grid, scores, 0.95, 13.3, [(0.95, 13.5, 0.7), (1, 13.5, 0.8)]).svg
    assert ">published: 0.95</text>" in plain
    assert ">ten games</text>" not in plain
    assert ">ten games</text>" in dotted
    assert ">exact expectation</text>" in dotted


def test_the_loop_of_seeds_has_a_dot_for_each_seed():
    svg = three_dice.seed_loop(3, 5).svg
    assert ">3 seeds, once each</text>" in svg
    assert "round and round" in svg


def test_tests_that_end_level_count_among_those_that_are_ahead():
    svg = three_dice.leads([-1.0, -0.1, 0.0, 0.3], -0.4).svg
    assert ">level or ahead</text>" in svg
    assert ">long run" in svg
