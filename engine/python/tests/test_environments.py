"""The environments pass the checks of PettingZoo and Gymnasium."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from quilt_engine import IllegalMove, PatchworkState, doodle_v0, patchwork_v0
from quilt_engine.solo import DoodleEnv

# PettingZoo expects boxes; observations with masks are dicts, as in its own games.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("make", [patchwork_v0.env, patchwork_v0.raw_env])
def test_patchwork_is_an_aec_environment(make):
    api_test(make(), num_cycles=500)
    api_test(make(reward="margin"), num_cycles=200)
    seed_test(make, num_cycles=300)


def test_pictures_and_text_are_rendered():
    render_test(lambda render_mode=None: patchwork_v0.env(render_mode=render_mode))
    render_test(lambda render_mode=None: doodle_v0.env(render_mode=render_mode))
    env = patchwork_v0.env(render_mode="rgb_array")
    env.reset(seed=1)
    empty = env.render()
    assert (empty.shape, empty.dtype) == ((400, 600, 3), np.uint8)
    env.step(int(np.flatnonzero(env.observe("player_0")["action_mask"])[0]))
    assert (env.render() != empty).any()


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_doodle_is_a_parallel_environment(seats):
    parallel_api_test(doodle_v0.parallel_env(seats=seats), num_cycles=300)


def test_doodle_repeats_a_seed():
    parallel_seed_test(doodle_v0.parallel_env, num_cycles=100)
    parallel_seed_test(lambda: doodle_v0.parallel_env(illegal="ignore", max_cycles=200), num_cycles=100)
    api_test(doodle_v0.env(), num_cycles=200)


@pytest.mark.parametrize("make", [patchwork_v0.env, doodle_v0.parallel_env, DoodleEnv])
def test_unknown_words_and_keys_are_refused(make):
    with pytest.raises(ValueError, match="options: 'dael' is not \"deal\""):
        make().reset(options={"dael": 7})
    with pytest.raises(ValueError, match="render_mode: 'svg' is not"):
        make(render_mode="svg")


def test_cycles_end_where_they_are_told():
    class Ignoring:
        """The test samples without masks."""

        @staticmethod
        def parallel_env(**kwargs):
            return doodle_v0.parallel_env(illegal="ignore", **kwargs)

        @staticmethod
        def env(**kwargs):
            return doodle_v0.env(illegal="ignore", **kwargs)

    max_cycles_test(Ignoring)


def test_one_seat_is_a_gymnasium_environment():
    check_env(DoodleEnv(), skip_render_check=True)
    check_env(DoodleEnv(render_mode="rgb_array"))
    env = gymnasium.make("quilt_engine.solo:quilt/Doodle-v0", render_mode="ansi")
    _, info = env.reset(seed=3)
    assert env.unwrapped.action_masks().sum() == info["action_mask"].sum()
    assert env.render().startswith("round 1, turn 0")


def test_environments_have_names():
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    assert pettingzoo.make("aec", "quilt/Patchwork-v0", reward="margin").unwrapped.reward == "margin"
    assert len(pettingzoo.make("parallel", "quilt/Doodle-v0", seats=3).possible_agents) == 3


def test_a_deal_of_the_arena_is_dealt():
    env = patchwork_v0.raw_env()
    env.reset(options={"deal": 7})
    assert env.match == PatchworkState(7)


def test_an_illegal_action_is_named():
    env = patchwork_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(IllegalMove, match="action: 1944: there is no leather patch to place") as caught:
        env.step(1944)
    assert caught.value.rule == "no_leather"
    env = doodle_v0.parallel_env(illegal="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalMove, match="not legal for seat 0"):
        env.step(dict.fromkeys(env.agents, 2028))
