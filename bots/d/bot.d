/// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
module bot;

import quilt;
import std.algorithm;
import std.json;
import std.range;
import std.stdio;

/// The kind is "card", "pass", "buy", "advance" or "leather".
struct Move
{
    string kind;
    string id; // of the card or patch
    Cell[] cells;
}

/// The moves that are looked at. All are legal; protocol.md tells of more.
Move[] moves(JSONValue start, JSONValue state)
{
    Move[] found;
    const board = me(start, state)["board"].strings;
    const phase = state["phase"].str;
    if (start["game"].str == "doodle")
    {
        foreach (card; state["offer"].strings)
            foreach (cells; placements(patch(start, card)["cells"].strings, board))
                found ~= Move("card", card, cells);
        if (phase != "start")
            found ~= Move("pass");
    }
    else if (phase == "leather")
    {
        foreach (cells; placements(["X"], board))
            found ~= Move("leather", null, cells);
    }
    else
    {
        foreach (id; state["circle"].strings.take(3))
            if (patch(start, id)["buttons"].integer <= me(start, state)["buttons"].integer)
                foreach (cells; placements(patch(start, id)["cells"].strings, board))
                    found ~= Move("buy", id, cells);
        found ~= Move("advance");
    }
    return found;
}

/// How good a move is; the first of the best is played.
long value(JSONValue start, JSONValue state, Move move)
{
    if (move.kind == "pass")
        return -1;
    if (move.kind == "advance")
        return 0;
    const touching = contact(me(start, state)["board"].strings, move.cells);
    if (move.kind != "buy")
        return touching;
    const bought = patch(start, move.id), space = me(start, state)["space"].integer;
    const payments = start["track"]["income"].array.count!(mark => mark.integer > space);
    const price = bought["buttons"].integer + bought["time"].integer;
    const worth = 2 * cast(long) move.cells.length + cast(long) payments * bought["income"].integer - price;
    return 100 * worth + touching;
}

/// How many sides of the cells touch the edge or a covered cell.
long contact(const string[] board, const Cell[] cells)
{
    static immutable Cell[] around = [[-1, 0], [0, -1], [0, 1], [1, 0]];
    return cartesianProduct(cells, around).count!(pair => covered(board, pair[0][0] + pair[1][0],
        pair[0][1] + pair[1][1]));
}

JSONValue decide(JSONValue start, JSONValue state)
{
    const best = moves(start, state).maxElement!(move => value(start, state, move));
    if (best.kind == "leather")
        return JSONValue(["leather": best.cells[0]]);
    if (best.id == "")
        return JSONValue([best.kind: true]);
    return JSONValue([best.kind: JSONValue(best.id), "cells": JSONValue(best.cells)]);
}

void main()
{
    JSONValue start;
    foreach (line; stdin.byLineCopy)
    {
        const message = parseJSON(line), type = message["type"].str;
        JSONValue[string] answer; // "fault" and "end" want none
        if (type == "hello")
            answer = ["type": JSONValue("hello"), "protocol": JSONValue(1), "name": JSONValue("d")];
        else if (type == "start")
        {
            start = message;
            answer = ["type": JSONValue("ready")];
        }
        else if (type == "turn")
        {
            const move = decide(start, message["state"]);
            answer = ["type": JSONValue("move"), "id": message["id"], "move": move];
        }
        else if (type == "quit")
            break;
        if (answer)
        {
            writeln(JSONValue(answer));
            stdout.flush();
        }
    }
}
