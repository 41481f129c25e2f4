"""A game of your own for PettingZoo: a program that speaks the arena's protocol of games, as `--game-command` takes it.

The answer to `describe` says what learners need:

    "spaces": {"array": "board", "shape": [11, 11], "low": 0, "high": 2, "moves": 122}

`array` is the field of the observation that has the numbers, and `moves` how many moves there are. The answer to `legal` may
have `numbers`, the number of each move; otherwise a number is the place in `moves`. Without `spaces`, observations are the
JSON as text, and an action is the place of a move in `infos[agent]["legal"]`.

The program runs as you, without the arena's sandbox: start your own games alone.
"""

from __future__ import annotations

import json
import string
import subprocess
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from .patchwork_v0 import _TurnEnv

#: The most characters of a line of the program.
LINE = 65_536


class ProgramEnv(_TurnEnv):
    """The environment, with agents `player_0`, `player_1`, and so on.

    `command` is the program with its arguments, `seats` the number of agents, by default the least, and `options` are those of
    the game. `reset(seed, options)` deals at random from `seed`; `options={"deal": N}` deals as seed N of the arena. With
    `spaces`, an observation is a `dict` of `observation`, float32, and `action_mask`, int8. At the end, the reward is the
    score, and `infos` have score and rank. An error of the program raises `RuntimeError`.
    """

    metadata = {"render_modes": ["ansi"], "name": "program_v0", "is_parallelizable": False}
    render_mode = "ansi"

    def __init__(self, command: Sequence[str], seats: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._command = list(command)
        self._program = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        about = self._ask("describe")
        if "legal" not in about["supports"]:
            raise ValueError("command: the game does not answer `legal`, which tells the moves")
        self._options = {**about.get("options", {}), **(options or {})}
        self._spaces, self._text = about.get("spaces"), "text" in about["supports"]
        if self._spaces is None:
            warnings.warn("no `spaces` in `describe`: observations are text, an action is an index into `legal`", stacklevel=2)
            space, moves = spaces.Text(LINE, charset=string.printable), LINE  # type: spaces.Space[Any], int
        else:
            low, high, shape = (self._spaces[name] for name in ("low", "high", "shape"))
            moves = self._spaces["moves"]
            space = spaces.Box(low, high, shape, np.float32)
        self._alike([f"player_{seat}" for seat in range(seats or about["seats"][0])], space, moves)

    def _ask(self, question: str, **fields: Any) -> Any:
        """Returns the answer of the program."""
        assert self._program.stdin and self._program.stdout
        try:
            self._program.stdin.write(json.dumps({"type": question, **fields}).encode() + b"\n")
            self._program.stdin.flush()
            return json.loads(self._program.stdout.readline())
        except (BrokenPipeError, ValueError) as error:
            raise RuntimeError(f"{' '.join(self._command)}: no answer to `{question}`: {error}") from error

    def _go_on(self, state: Any, observations: list[Any]) -> None:
        """Takes the state after a move, and asks what may follow."""
        self._state, self._observations, self._legal = state, observations, {}
        seat = next((seat for seat, seen in enumerate(observations) if seen is not None), None)
        if seat is not None:
            self.agent_selection = self.possible_agents[seat]
            answer = self._ask("legal", seat=seat, state=state)
            self._legal = dict(zip(answer.get("numbers") or range(len(answer["moves"])), answer["moves"]))
            self.infos = {agent: {} for agent in self.agents} | {self.agent_selection: {"legal": answer["moves"]}}
            return
        result = self._ask("result", state=state)
        ranks = result.get("ranks") or [1 + sum(other > own for other in result["scores"]) for own in result["scores"]]
        self.terminations = dict.fromkeys(self.agents, True)
        for agent, score, rank in zip(self.agents, result["scores"], ranks):
            self.rewards[agent], self.infos[agent] = float(score), {"score": score, "rank": rank}

    def observe(self, agent: str) -> Any:
        seen = self._observations[self.possible_agents.index(agent)]
        if self._spaces is None:
            return json.dumps(seen)
        numbers = np.zeros(self._spaces["shape"], np.float32)
        mask = np.zeros(self._spaces["moves"], np.int8)
        if seen is not None:
            numbers[:] = np.asarray(seen[self._spaces["array"]]).reshape(numbers.shape)
            mask[list(self._legal) if agent == self.agent_selection else []] = 1
        return {"observation": numbers, "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._begin(self.possible_agents[:])
        state = self._ask("deal", seats=len(self.agents), seed=self._dealt(seed, options), options=self._options)["state"]
        self._go_on(state, self._ask("observe", state=state)["observations"])

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action not in self._legal:
            raise ValueError(f"action: {action} is not legal, but {sorted(self._legal)}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        seat = self.possible_agents.index(agent)
        answer = self._ask("play", seat=seat, move=self._legal[action], state=self._state)
        if "refused" in answer:
            raise RuntimeError(f"the game refuses a move that its `legal` lists: {answer['refused']}")
        self._go_on(answer["state"], answer["observations"])
        self._accumulate_rewards()

    def render(self) -> str | None:
        text: str | None = self._ask("text", state=self._state)["text"] if self._text else None
        return text

    def close(self) -> None:
        self._program.kill()
        self._program.communicate()
