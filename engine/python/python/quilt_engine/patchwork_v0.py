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
first; `action_mask` is int8, shape (2026,). With `planes=True`, `observation` is float32, shape (431,), with the parts of
`PATCHWORK_PLANES`. Actions are the numbers of moves. At the end, the winner gets 1 and the other agent -1, or with
`reward="margin"` the difference in points.
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

from . import (
    PATCHWORK_ACTIONS,
    PATCHWORK_PLANES,
    PATCHWORK_SCALE,
    PLANES_BOUNDS,
    Bot,
    PatchworkBatch,
    PatchworkRules,
    PatchworkState,
)


def env(**kwargs: Any) -> AECEnv[Any, Any, Any]:
    """The environment with PettingZoo's checks: an illegal action ends the match with -1 for its agent."""
    checked = wrappers.TerminateIllegalWrapper(raw_env(**kwargs), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class _Agents:
    """The spaces of agents, which are all alike."""

    def _alike(self, agents: list[str], seen: spaces.Space[Any], actions: int) -> None:
        """Makes the spaces. Beside numbers that are seen, there is a mask of the actions."""
        if isinstance(seen, spaces.Box):
            seen = spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (actions,), np.int8)})
        self.possible_agents, self.agents = agents, agents[:]
        self.observation_spaces = {agent: seen for agent in agents}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in agents}
        self._random, _ = seeding.np_random()

    def _dealt(self, seed: int | None, options: dict[str, Any] | None) -> int:
        """Returns the seed of the deal that `reset` asks for."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        return _deal(options, self._random)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def close(self) -> None:
        pass


class _TurnEnv(_Agents, AECEnv[Any, Any, Any]):
    """What environments share in which one agent moves after the other."""

    def _begin(self, agents: list[str]) -> None:
        self.agents = agents
        self.rewards, self._cumulative_rewards = ({agent: 0.0 for agent in agents} for _ in range(2))
        self.terminations, self.truncations = ({agent: False for agent in agents} for _ in range(2))
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}


class raw_env(_TurnEnv, EzPickle):
    """The environment without checks: an illegal action raises `IllegalMove`.

    `reset(seed, options)` deals at random from `seed`; `options={"deal": N}` deals as seed N of the arena.
    `max_cycles` truncates a match after so many actions. `opponent` is the name of a bundled bot that plays the other
    seat; the agent is then `player_0` in deals with even seeds, otherwise `player_1`. `nodes` bounds the search of the
    opponent; `master` needs it. `rules` are other components.
    """

    metadata = {
        "render_modes": ["human", "ansi", "rgb_array"],
        "name": "patchwork_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        render_mode: str | None = None,
        reward: str = "win",
        max_cycles: int | None = None,
        *,
        opponent: str | None = None,
        nodes: int | None = None,
        rules: PatchworkRules | None = None,
        planes: bool = False,
    ) -> None:
        options: dict[str, Any] = {"opponent": opponent, "nodes": nodes, "rules": rules, "planes": planes}
        EzPickle.__init__(self, render_mode, reward, max_cycles, **options)
        super().__init__()
        self.render_mode, self.reward, self.max_cycles = _render_mode(render_mode), reward, max_cycles
        self._table, self._planes = _Table(reward, opponent, nodes, rules), planes
        seen = _box(PATCHWORK_SCALE, PATCHWORK_PLANES if planes else None, -1.0)
        self._alike(["player_0", "player_1"], seen, PATCHWORK_ACTIONS)

    @property
    def match(self) -> PatchworkState:
        """The match as a state."""
        return self._table.match

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        state, seat = self.match, self.possible_agents.index(agent)
        mask = state.legal_mask() if state.to_move == seat else np.zeros(PATCHWORK_ACTIONS, np.int8)
        return {"observation": state.observation(seat, planes=self._planes), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        seat = self._table.deal(self._dealt(seed, options))
        self._begin(self.possible_agents[:] if seat is None else [self.possible_agents[seat]])
        self.agent_selection = self.possible_agents[self.match.to_move or 0]

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        state = self.match
        self._table.play(action)
        if state.to_move is None:
            seats = {agent: self.possible_agents.index(agent) for agent in self.agents}
            self.rewards = {agent: self._table.reward(seat) for agent, seat in seats.items()}
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {agent: {"score": state.scores[seat]} for agent, seat in seats.items()}
        else:
            self.agent_selection = self.possible_agents[state.to_move]
            if self.max_cycles and state.decision >= self.max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        return _rendered(self.match, self.render_mode)


if hasattr(pettingzoo, "register"):  # from 1.26 on
    pettingzoo.register("aec", "quilt/Patchwork-v0", "quilt_engine.patchwork_v0:env")


class _Table:
    """A match, and the bot on the other seat if there is one."""

    def __init__(self, reward: str, opponent: str | None, nodes: int | None, rules: PatchworkRules | None) -> None:
        # A batch checks the options.
        PatchworkBatch(1, mask=None, observation=False, reward=reward, opponent=opponent, nodes=nodes, rules=rules)  # type: ignore[arg-type]
        self._by_margin, self._opponent, self._nodes, self._rules = reward == "margin", opponent, nodes, rules
        self.deal(0)

    def deal(self, seed: int) -> int | None:
        """Begins a match, and returns the caller's seat if there is an opponent."""
        self.match = PatchworkState(seed, self._rules)
        self._bot = Bot(self._opponent, seed, self._nodes) if self._opponent else None
        self.seat = seed % 2 if self._bot else None
        self._answer()
        return self.seat

    def play(self, action: Any) -> None:
        """Plays a legal action, and the moves of the bot until it is the caller's turn."""
        self.match.play(action)
        self._answer()

    def _answer(self) -> None:
        while self._bot and self.match.to_move not in (None, self.seat):
            self.match.play(self._bot.choose(self.match))

    def reward(self, seat: int) -> float:
        """Returns what a seat earns at the end."""
        if self._by_margin:
            return float(self.match.scores[seat] - self.match.scores[1 - seat])
        return 1.0 if self.match.ranks[seat] == 1 else -1.0


def _box(scale: tuple[float, ...], planes: dict[str, slice] | None, low: float) -> Any:
    """Returns the space of observations, raw or with these parts as planes."""
    if planes is None:
        return spaces.Box(low, np.inf, (len(scale),), np.float32)
    least, most = PLANES_BOUNDS
    return spaces.Box(least, most, (max(part.stop for part in planes.values()),), np.float32)


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
