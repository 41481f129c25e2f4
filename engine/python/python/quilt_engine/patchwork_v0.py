"""Patchwork for PettingZoo, as an AEC environment with two agents, `player_0` and `player_1`.

>>> from quilt_engine import patchwork_v0
>>> env = patchwork_v0.env()
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     over = termination or truncation
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
>>> env.agents
[]

An observation is a `dict`: `observation` is float32, shape (212,), with the parts of `PATCHWORK_SLICES`, own numbers
first; `action_mask` is int8, shape (2026,). Actions are the numbers of moves. At the end, the winner gets 1 and the
other agent -1, or with `reward="margin"` the difference in points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pettingzoo
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from . import PATCHWORK_ACTIONS, PATCHWORK_SCALE, PatchworkState


def env(**kwargs: Any) -> AECEnv[Any, Any, Any]:
    """The environment with PettingZoo's checks: an illegal action ends the match with -1 for its agent."""
    checked = wrappers.TerminateIllegalWrapper(raw_env(**kwargs), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(AECEnv[Any, Any, Any], EzPickle):
    """The environment without checks: an illegal action raises `IllegalMove`.

    `reset(seed, options)` deals at random from `seed`; `options={"deal": N}` deals as seed N of the arena.
    `max_cycles` truncates a match after so many actions.
    """

    metadata = {
        "render_modes": ["human", "ansi", "rgb_array"],
        "name": "patchwork_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, render_mode: str | None = None, reward: str = "win", max_cycles: int | None = None) -> None:
        EzPickle.__init__(self, render_mode, reward, max_cycles)
        super().__init__()
        if reward not in ("win", "margin"):
            raise ValueError(f'reward: {reward!r} is not "win" or "margin"')
        self.render_mode, self.reward, self.max_cycles = _render_mode(render_mode), reward, max_cycles
        self.possible_agents = ["player_0", "player_1"]
        self.agents = self.possible_agents[:]
        space = spaces.Dict(
            {
                "observation": spaces.Box(-1.0, np.inf, (len(PATCHWORK_SCALE),), np.float32),
                "action_mask": spaces.Box(0, 1, (PATCHWORK_ACTIONS,), np.int8),
            }
        )
        self.observation_spaces = {agent: space for agent in self.agents}
        self.action_spaces = {agent: spaces.Discrete(PATCHWORK_ACTIONS) for agent in self.agents}
        self._random, _ = seeding.np_random()
        self.match = PatchworkState()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        state, seat = self.match, self.possible_agents.index(agent)
        mask = state.legal_mask() if state.to_move == seat else np.zeros(PATCHWORK_ACTIONS, np.int8)
        return {"observation": state.observation(seat), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.match = PatchworkState(_deal(options, self._random))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.match.to_move or 0]

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        state = self.match
        state.play(action)  # type: ignore[arg-type]
        if state.to_move is None:
            margin = float(state.scores[0] - state.scores[1])
            won = 1.0 if state.ranks[0] == 1 else -1.0
            value = margin if self.reward == "margin" else won
            self.rewards = dict(zip(self.possible_agents, (value, -value)))
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {a: {"score": state.scores[seat]} for seat, a in enumerate(self.possible_agents)}
        else:
            self.agent_selection = self.possible_agents[state.to_move]
            if self.max_cycles and state.decision >= self.max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        return _rendered(self.match, self.render_mode)

    def close(self) -> None:
        pass


if hasattr(pettingzoo, "register"):  # from 1.26 on
    pettingzoo.register("aec", "quilt/Patchwork-v0", "quilt_engine.patchwork_v0:env")


def _deal(options: dict[str, Any] | None, random: np.random.Generator) -> int:
    """Returns the seed of a deal from the options of `reset`, by default a random one."""
    for key in options or {}:
        if key not in ("deal", "options"):  # PettingZoo's own check passes a key `options`
            raise ValueError(f'options: {key!r} is not "deal"')
    chance = int(random.integers(1 << 53))
    deal: int = (options or {}).get("deal", chance)
    return deal


def _render_mode(mode: str | None) -> str | None:
    """Returns the mode if it is one."""
    if mode not in (None, "human", "ansi", "rgb_array"):
        raise ValueError(f'render_mode: {mode!r} is not "human", "ansi", or "rgb_array"')
    return mode


def _rendered(state: Any, mode: str | None) -> str | NDArray[np.uint8] | None:
    if mode == "ansi":
        return str(state)
    if mode == "rgb_array":
        picture: NDArray[np.uint8] = state.rgb_array()
        return picture
    if mode == "human":
        print(state)
    return None
