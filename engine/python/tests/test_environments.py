"""The environments pass the checks of PettingZoo and Gymnasium."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from quilt_engine import DoodleRules, DoodleState, IllegalMove, PatchworkRules, PatchworkState, doodle_v0, patchwork_v0
from quilt_engine.solo import DoodleEnv, PatchworkEnv

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


@pytest.mark.parametrize("make", [patchwork_v0.env, doodle_v0.parallel_env, DoodleEnv, PatchworkEnv])
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


GAMES = ["Doodle", "Patchwork"]
OPTIONS = {"Doodle": {}, "Patchwork": {"opponent": "novice"}}


def _vector(game, count, **options):
    pytest.importorskip("quilt_engine.vector", reason="this Gymnasium has no reset modes", exc_type=ImportError)
    name = f"quilt_engine.solo:quilt/{game}-v0"
    return gymnasium.make_vec(name, count, vectorization_mode="vector_entry_point", **OPTIONS[game], **options)


def _same(one, other):
    """Compares observations and infos, with their shapes and types."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            _same(one[key], other[key])
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        for left, right in zip(one, other) if one.dtype == object else []:
            _same(left, right)
        assert one.dtype == object or (one == other).all()
    else:
        assert one == other


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("planes", [False, True])
def test_a_vector_is_gymnasiums_vector_of_single_environments(game, planes):
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    class Dealt(gymnasium.Wrapper):
        """A single environment whose next match has the seed that it is told."""

        seed = None

        def reset(self, *, seed=None, options=None):
            return self.env.reset(options={"deal": self.seed})

    count, make = 8, DoodleEnv if game == "Doodle" else PatchworkEnv
    envs, following, ends = _vector(game, count, planes=planes), 100 + count, 0
    single = [Dealt(make(**OPTIONS[game], planes=planes)) for _ in range(count)]
    wanted = SyncVectorEnv([lambda env=env: env for env in single], autoreset_mode=AutoresetMode.SAME_STEP)
    assert envs.metadata["autoreset_mode"] == wanted.metadata["autoreset_mode"]
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(envs, name) == getattr(wanted, name)
    for n, env in enumerate(single):
        env.seed = 100 + n
    found = envs.reset(options={"deal": 100})
    _same(found[0], wanted.reset()[0])
    seeds, before = [env.seed for env in single], found[0].copy()
    for _ in range(1000):
        actions = envs.unwrapped.batch.sample()
        old, found = found, envs.step(actions)
        assert (old[0] == before).all(), "an observation is the caller's own"
        assert envs.unwrapped.batch.seeds.tolist() == seeds
        for n in np.flatnonzero(found[2]):
            single[n].seed = seeds[n] = following
            following, ends = following + 1, ends + 1
        for one, other in zip(found, wanted.step(actions)):
            _same(one, other)
        assert envs.observation_space.contains(found[0])
        before = found[0].copy()
    assert ends > 8 * count


@pytest.mark.parametrize("game", GAMES)
def test_vectors_repeat_a_seed_and_give_what_is_asked_for(game):
    one, other = _vector(game, 3, mask="bits"), _vector(game, 3, mask=None, copy=False)
    seen, infos = one.reset(seed=5)
    same, none = other.reset(seed=5)
    assert (seen == same).all() and infos["action_mask"].dtype == np.uint64 and none == {}
    assert (one.reset()[0] != seen).any() and (one.reset(seed=5)[0] == seen).all()
    mask, before = infos["action_mask"], infos["action_mask"].copy()
    one.step(one.unwrapped.batch.sample())
    assert (mask == before).all() and (one.unwrapped.batch.mask != before).any(), "a mask is the caller's own"
    assert other.step(other.unwrapped.batch.sample())[0] is same is other.unwrapped.batch.observation
    with pytest.raises(ValueError, match="options: 'reset_mask' is not \"deal\""):
        one.reset(options={"reset_mask": np.ones(3, bool)})
    with pytest.raises(IllegalMove, match="no match has moved"):
        one.step(np.full(3, 1944))


@pytest.mark.parametrize("opponent", ["random", "novice"])
def test_patchwork_against_a_bot_is_an_environment_of_both_libraries(opponent):
    check_env(PatchworkEnv(opponent=opponent, planes=True), skip_render_check=True)
    env = gymnasium.make("quilt_engine.solo:quilt/Patchwork-v0", opponent=opponent, reward="margin", render_mode="ansi")
    check_env(env.unwrapped)
    api_test(patchwork_v0.env(opponent=opponent, planes=True), num_cycles=300)
    seed_test(lambda: patchwork_v0.env(opponent=opponent), num_cycles=200)
    zoo = patchwork_v0.env(opponent=opponent, reward="margin")
    for deal in (6, 7):
        seen, info = env.reset(options={"deal": deal})
        zoo.reset(options={"deal": deal})
        assert zoo.agents == [f"player_{deal % 2}"] and env.unwrapped.action_masks().any()
        over = False
        while not over:
            now, reward, over, _, _ = zoo.last()
            assert (now["observation"] == seen).all() and not over and reward == 0
            action = int(np.flatnonzero(now["action_mask"])[0])
            zoo.step(action)
            seen, reward, over, _, info = env.step(action)
        assert zoo.last()[1:] == (reward, True, False, {"score": info["score"]})
        assert reward == info["score"] - zoo.unwrapped.match.scores[1 - deal % 2]
    assert env.step(0)[1] == -1, "an illegal action"


def test_environments_take_rules():
    rules = PatchworkRules({"game": "patchwork", "rules": {"leather": "revised"}})
    single = PatchworkEnv(opponent="random", rules=rules)
    for env in (patchwork_v0.raw_env(rules=rules), patchwork_v0.raw_env(opponent="random", rules=rules), single):
        env.reset(options={"deal": 4})
        assert env.match == PatchworkState(4, rules) != PatchworkState(4)
    shared = DoodleRules(shared=True)
    env = doodle_v0.parallel_env(rules=shared, planes=True)
    parallel_api_test(env, num_cycles=100)
    env.reset(options={"deal": 3})
    assert env.match == DoodleState(2, 3, shared) != DoodleState(2, 3)
    with pytest.raises(ValueError, match="shared: the rules say it already"):
        doodle_v0.parallel_env(rules=shared, shared=True)
    with pytest.raises(ValueError, match='nodes: "master" would search by the clock'):
        PatchworkEnv(opponent="master")
