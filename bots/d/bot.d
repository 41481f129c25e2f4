/// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
import std.algorithm;
import std.json;
//import std.random;
import std.range;
import std.stdio;

alias Cell = int[2]; /// row and column, both 0 to 8

/// The kind is "card", "pass", "buy", "advance" or "leather"; the id that of the card or patch.
struct Move {
    string kind, id;
    Cell[] cells;
}

/// The moves that are looked at. All are legal; protocol.md tells of more.
Move[] moves(JSONValue start, JSONValue state) {
    Move[] lay(string kind, string id, string[] shape) {
        const board = me(start, state)["board"].strings;
        return placements(shape, board).map!(cells => Move(kind, id, cells)).array;
    }

    const doodle = start["game"].str == "doodle", phase = state["phase"].str;
    if (phase == "leather") return lay("leather", null, ["X"]);
    Move[] found;
    foreach (id; state[doodle ? "offer" : "circle"].strings.take(3))
        if (doodle || patch(start, id)["buttons"].integer <= me(start, state)["buttons"].integer)
            found ~= lay(doodle ? "card" : "buy", id, patch(start, id)["cells"].strings);
    if (phase != "start") found ~= Move(doodle ? "pass" : "advance");
    return found;
}

/// How good a move is; the first of the best is played.
long value(JSONValue start, JSONValue state, Move move) {
    if (move.kind == "pass") return -1;
    if (move.kind == "advance") return 0;
    const touching = contact(me(start, state)["board"].strings, move.cells);
    if (move.kind != "buy") return touching;
    const bought = patch(start, move.id), space = me(start, state)["space"].integer;
    long worth = 2 * move.cells.length - bought["buttons"].integer - bought["time"].integer;
    worth += bought["income"].integer * start["track"]["income"].array.count!(mark => mark.integer > space);
    return 100 * worth + touching;
}

/// How many sides of the cells touch the edge or a covered cell.
long contact(const string[] board, const Cell[] cells) {
    auto around = cells.map!(cell => moved([[-1, 0], [0, -1], [0, 1], [1, 0]], cell[0], cell[1])).joiner;
    return around.count!(cell => covered(board, cell));
}

/// Whether a cell is covered or beyond the edge.
bool covered(const string[] board, Cell cell) {
    return cell[].minElement < 0 || cell[].maxElement > 8 || board[cell[0]][cell[1]] == '#';
}

Cell[] moved(const Cell[] cells, int down, int right) {
    return cells.map!(cell => cast(Cell)[cell[0] + down, cell[1] + right]).array;
}

/// The distinct rotations and flips of a shape, each moved to the top left corner.
Cell[][] orientations(const string[] shape) {
    Cell[] cells;
    foreach (r, row; shape)
        foreach (c, mark; row)
            if (mark == 'X')
                cells ~= [cast(int) r, cast(int) c];
    Cell[][] found;
    foreach (i; 0 .. 8) {
        foreach (ref cell; cells) // flipped at 4, else turned by 90 degrees
            cell = i == 4 ? [cell[0], -cell[1]] : [cell[1], -cell[0]];
        const top = cells.map!(cell => cell[0]).minElement, left = cells.map!(cell => cell[1]).minElement;
        found ~= moved(cells, -top, -left).sort.array;
    }
    return found.sort.uniq.array;
}

/// Every way to lay the shape on empty cells.
Cell[][] placements(const string[] shape, const string[] board) {
    auto spots = cartesianProduct(orientations(shape), iota(9), iota(9)).map!(spot => moved(spot.expand));
    return spots.filter!(cells => !cells.any!(cell => covered(board, cell))).array;
}

/// A list of strings.
string[] strings(JSONValue list) { return list.array.map!(text => text.str).array; }

/// The player whose seat this bot has.
auto me(JSONValue start, JSONValue state) { return state["players"][cast(size_t) start["seat"].integer]; }

/// The card or patch with this id.
JSONValue patch(JSONValue start, string id) {
    auto patches = "cards" in start ? start["cards"]["starts"].array ~ start["cards"]["patches"].array
        : start["patches"].array;
    return patches.find!(patch => patch["id"].str == id).front;
}

JSONValue decide(JSONValue start, JSONValue state) {
    const best = moves(start, state).maxElement!(move => value(start, state, move));
    if (best.kind == "leather") return JSONValue(["leather": best.cells[0]]);
    if (best.id == "") return JSONValue([best.kind: true]);
    return JSONValue([best.kind: JSONValue(best.id), "cells": JSONValue(best.cells)]);
}

void main() {
    JSONValue start;
    //Mt19937_64 chance; // that the seed repeats; uncomment what you use, here and elsewhere
    foreach (line; stdin.byLineCopy) {
        auto message = parseJSON(line), type = message["type"].str;
        JSONValue answer; // "fault" and "end" want none
        if (type == "quit") break;
        if (type == "hello") answer = parseJSON(`{"type":"hello","protocol":1,"name":"d"}`);
        if (type == "start") {
            start = message;
            answer = ["type": "ready"];
            //chance.seed(start["seed"].integer);
        }
        if (type == "turn") {
            auto move = decide(start, message["state"]);
            answer = ["type": JSONValue("move"), "id": message["id"], "move": move];
            // The time to search in this turn, and numbers for the record:
            //const limits = start["limits"].object, ms = message["time_ms"].integer;
            //const share = ms / 20 + limits.get("increment_ms", JSONValue(0)).integer;
            //const budgetMs = min(ms * 9 / 10, limits.get("match_ms", JSONValue(null)).isNull ? ms : share);
            //answer["data"] = ["seed": start["seed"], "budget_ms": JSONValue(budgetMs)];
            //answer["data"]["chance"] = uniform01(chance); // from 0 to below 1
        }
        if (!answer.isNull) writeln(answer);
        stdout.flush();
    }
}
