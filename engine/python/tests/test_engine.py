"""States play as the engine does: the same states, numbers, and scores as in journals and from the oracle."""

import itertools
import json
import os
import subprocess

import numpy as np
import pytest

import quilt_engine as q
from quilt_engine import DoodleRules, DoodleState, PatchworkRules, PatchworkState


def _seeds(journal):
    for line in (journal / "matches.jsonl").read_text().splitlines():
        record = json.loads(line)
        yield record["match"], record["seed"], record["result"]["scores"]


def test_patchwork_is_played_as_in_the_arena(journals, decisions):
    seeds = {match: (seed, scores) for match, seed, scores in _seeds(journals["patchwork"])}
    played = 0
    for match, lines in itertools.groupby(decisions("patchwork"), lambda line: line["match"]):
        seed, scores = seeds[match]
        state = PatchworkState(seed)
        for line in lines:
            assert (state.to_move, state.decision) == (line["seat"], line["id"])
            assert json.loads(state.state_json()) == line["state"]
            assert state.scores[line["seat"]] + line["to_come"] == line["score"]
            state.play(state.action(line["move"]))
        assert state.is_over and list(state.scores) == scores
        played += 1
    assert played == len(seeds) > 0


def test_doodle_is_played_as_in_the_arena(journals, decisions):
    seeds = {match: (seed, scores) for match, seed, scores in _seeds(journals["doodle"])}
    played = 0
    for match, lines in itertools.groupby(decisions("doodle"), lambda line: line["match"]):
        seed, scores = seeds[match]
        state = DoodleState(2, seed)
        for line in lines:
            seat = line["seat"]
            assert state.decision == line["id"] and seat in state.pending
            assert json.loads(state.state_json(seat)) == line["state"]
            steps = [state.step(seat, action) for action in state.actions(seat, line["move"])]
            assert steps == [False] * (len(steps) - 1) + [True]
        assert state.is_over and state.scores == scores
        played += 1
    assert played == len(seeds) > 0


def _asked(arena, game, queries):
    text = "".join(json.dumps(query) + "\n" for query in queries)
    command = [arena, "moves", "--numbers", "--game", game]
    answers = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in answers.splitlines()]


def test_patchwork_has_the_lists_and_numbers_of_the_oracle(arena, decisions):
    lines = [line for line in decisions("patchwork") if line["match"] < 100]
    for line, answer in zip(lines, _asked(arena, "patchwork", lines)):
        state = PatchworkRules().state(line["state"], line["seat"])
        assert state.legal_actions() == sorted(answer["numbers"])
        assert np.flatnonzero(state.legal_mask()).tolist() == state.legal_actions()
        number = answer["numbers"][0]
        assert state.move(number) == answer["moves"][0] and state.action(answer["moves"][0]) == number


def _leaves(state, before=()):
    for action in state.legal_actions():
        after = state.clone()
        if after.step(0, action):
            yield (*before, action)
        else:
            yield from _leaves(after, (*before, action))


def test_doodle_has_the_lists_and_numbers_of_the_oracle(arena, decisions):
    rules, lines = DoodleRules(), []
    for line in decisions("doodle"):
        state = rules.state(line["state"], line["seat"])
        if line["match"] < 100 and state.legal_count() <= 300:
            lines.append((state, line))
    assert len(lines) > 100
    answers = _asked(arena, "doodle", [line for _, line in lines])
    for (state, line), answer in zip(lines, answers):
        assert state.legal_count() == answer["count"]
        assert sorted(_leaves(state)) == sorted(map(tuple, answer["numbers"]))
        assert state.actions(0, answer["moves"][-1]) == answer["numbers"][-1]


@pytest.mark.parametrize("game", ["patchwork", "doodle"])
def test_journals_are_read_as_they_were_played(game, journals, decisions):
    read = {"patchwork": q.read_patchwork, "doodle": q.read_doodle}[game]
    arrays, planes = read(journals[game]), read(journals[game], planes=True)
    rows, seen = [], {}
    rules = {"patchwork": PatchworkRules(), "doodle": DoodleRules()}[game]
    for line in decisions(game):
        state = rules.state(line["state"], line["seat"])
        seen[len(rows)] = [state.observation(line["seat"] if game == "patchwork" else 0, planes=form) for form in (False, True)]
        for action in [state.action(line["move"])] if game == "patchwork" else state.actions(0, line["move"]):
            rows.append([line["match"], line["seat"], action, line["score"], line["to_come"]])
    names = ("match", "seat", "action", "score", "to_come")
    assert np.stack([arrays[name] for name in names], axis=1).tolist() == rows
    for form, array in enumerate([arrays["observation"], planes["observation"]]):
        wanted = np.array([both[form] for both in seen.values()])
        assert array.dtype == np.float32 and (array[list(seen)] == wanted).all()
    legal = np.unpackbits(arrays["mask"].view(np.uint8), axis=1, bitorder="little")
    assert legal[np.arange(len(rows)), arrays["action"]].all()
    one = read(journals[game] / "matches.jsonl", bot="other")
    assert 0 < len(one["action"]) < len(rows)
    with pytest.raises(ValueError, match='bot: "nobody" plays in no match, but other, random'):
        read(journals[game], bot="nobody")


def test_a_journal_with_a_wrong_line_is_refused_with_its_line(journals, tmp_path):
    text = (journals["patchwork"] / "matches.jsonl").read_text().splitlines()
    wrong = tmp_path / "matches.jsonl"
    wrong.write_text(text[0] + "\n" + text[1].replace('"advance":true', '"leather":[0,0]', 1) + "\n" + text[2])
    with pytest.raises(ValueError, match="matches.jsonl, line 2: turn"):
        q.read_patchwork(tmp_path)
    wrong.write_text(text[0] + "\n" + text[1][:100])  # the last line is being written
    assert set(q.read_patchwork(wrong)["match"]) == {json.loads(text[0])["match"]}  # not always the first match
    with pytest.raises(ValueError, match='line 1: a match of "patchwork", not of doodle'):
        q.read_doodle(wrong)
    with pytest.raises(OSError, match="path: .*nowhere"):
        q.read_patchwork(tmp_path / "nowhere")


def test_files_are_read_as_the_arena_reads_them(journals, tmp_path):
    journal = journals["patchwork"] / "matches.jsonl"
    lines, folder = journal.read_text().splitlines(keepends=True), tmp_path / "folder"
    folder.mkdir()
    link, pipe, long = folder / "matches.jsonl", tmp_path / "pipe", tmp_path / "long.jsonl"
    link.symlink_to(journal)
    with pytest.raises(OSError, match="path: .*it is a link, which is not followed"):
        q.read_patchwork(folder)
    count = len(q.read_patchwork(link)["action"])  # the user has named it
    assert count == len(q.read_patchwork(journal)["action"]) > 0
    os.mkfifo(pipe)
    for other in (pipe, "/dev/zero"):
        with pytest.raises(OSError, match="path: .*no regular file"):
            q.read_doodle(other)
    shard = tmp_path / "shard.jsonl"
    shard.write_text('{"shard":{"of":1}}\n' + "".join(lines) + '{"end":2}\n')
    assert len(q.read_patchwork(shard)["action"]) == count
    long.write_bytes(b" " * (16 << 20) + b"\n")
    with pytest.raises(OSError, match="line 1 is longer than 16 MiB"):
        q.read_patchwork(long)
    long.write_bytes(b"\xff\n")
    with pytest.raises(ValueError, match="line 1: "):
        q.read_patchwork(long)


def test_a_journal_may_have_more_seats_than_a_byte_counts(arena, tmp_path):
    seats = 200
    played = [arena, "match", "--quiet", "--seed", "1", "--start-cards", "shared", "--record", "one.json"]
    bots = [word for seat in range(seats) for word in ("--bot", f"b{seat}=random")]
    subprocess.run([*played, *bots, "--contain", "off"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    record = json.loads((tmp_path / "one.json").read_text())
    (tmp_path / "one.json").write_text(json.dumps(record) + "\n")
    arrays = q.read_doodle(tmp_path / "one.json")
    assert sorted(set(arrays["seat"].tolist())) == list(range(seats))
    assert [record["result"]["scores"][seat] for seat in arrays["seat"]] == arrays["score"].tolist()
