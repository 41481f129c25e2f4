// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
#include <algorithm>
#include <iostream>
#include <random>
#include <set>
#include <tuple>

#include "json.hpp"

using Lines = std::vector<std::string>; // a shape, or a board: 9 lines of 9 characters
using Cell = std::pair<int, int>;       // row and column, both 0 to 8
using Cells = std::vector<Cell>;

// The distinct rotations and flips of a shape, each moved to the top left corner.
std::set<Cells> orientations(const Lines &shape) {
    Cells cells;
    for (int r = 0; r < int(shape.size()); r++)
        for (int c = 0; c < int(shape[r].size()); c++)
            if (shape[r][c] == 'X') cells.push_back({r, c});
    std::set<Cells> found;
    for (int i = 0; i < 8; i++) { // a turn by 90 degrees each time, but once a flip
        int top = 9, left = 9;
        for (auto &[r, c] : cells) std::tie(r, c) = i == 4 ? Cell(r, -c) : Cell(c, -r);
        for (auto [r, c] : cells) top = std::min(top, r), left = std::min(left, c);
        for (auto &[r, c] : cells) r -= top, c -= left;
        std::sort(cells.begin(), cells.end());
        found.insert(cells);
    }
    return found;
}

// Whether a cell is covered or beyond the edge.
bool covered(const Lines &board, int r, int c) {
    return r < 0 || r > 8 || c < 0 || c > 8 || board[r][c] == '#';
}

// Every way to lay the shape on empty cells.
std::vector<Cells> placements(const Lines &shape, const Lines &board) {
    std::vector<Cells> spots;
    for (const Cells &cells : orientations(shape))
        for (int corner = 0; corner < 81; corner++) {
            Cells spot = cells;
            bool taken = false;
            for (auto &[r, c] : spot) taken |= covered(board, r += corner / 9, c += corner % 9);
            if (!taken) spots.push_back(spot);
        }
    return spots;
}

// The moves that are looked at. All are legal; protocol.md tells of more.
std::vector<Json> moves(const Json &start, const Json &state) {
    std::vector<Json> found;
    const Json &me = state.at("me");
    const bool doodle = start.at("game") == "doodle";
    const Lines board = me.at("board").get<Lines>(), ids = state.at(doodle ? "offer" : "circle").get<Lines>();
    if (state.at("phase") == "leather") {
        for (const Cells &cells : placements({"X"}, board)) found.push_back(object({{"leather", cells[0]}}));
        return found;
    }
    for (size_t i = 0; i < std::min<size_t>(3, ids.size()); i++) {
        const Json &patch = start.at("by_id").at(ids[i]);
        if (!doodle && patch.at("buttons").get<int>() > me.at("buttons").get<int>()) continue;
        for (const Cells &cells : placements(patch.at("cells").get<Lines>(), board))
            found.push_back(object({{doodle ? "card" : "buy", ids[i]}, {"cells", cells}}));
    }
    if (state.at("phase") != "start") found.push_back(object({{doodle ? "pass" : "advance", true}}));
    return found;
}

// How many sides of the cells touch the edge or a covered cell.
int contact(const Lines &board, const Cells &cells) {
    int sides = 0;
    for (auto [r, c] : cells)
        for (auto [dr, dc] : Cells{{-1, 0}, {0, -1}, {0, 1}, {1, 0}}) sides += covered(board, r + dr, c + dc);
    return sides;
}

// How good a move is; the first of the best is played.
int value(const Json &start, const Json &state, const Json &move) {
    if (move.contains("pass") || move.contains("advance")) return move.contains("pass") ? -1 : 0;
    Cells cells = move.contains("leather") ? Cells(1) : move.at("cells").get<Cells>();
    if (move.contains("leather")) cells[0] = move.at("leather").get<Cell>();
    const int touching = contact(state.at("me").at("board").get<Lines>(), cells);
    if (!move.contains("buy")) return touching;
    const Json &patch = start.at("by_id").at(move.at("buy").text());
    int worth = 2 * int(cells.size()) - patch.at("buttons").get<int>() - patch.at("time").get<int>();
    for (const Json &space : start.at("track").at("income")) // the payments to come
        if (space.get<int>() > state.at("me").at("space").get<int>()) worth += patch.at("income").get<int>();
    return 100 * worth + touching;
}

Json decide(const Json &start, const Json &state) {
    Json best;
    int most = 0;
    for (const Json &move : moves(start, state))
        if (int worth = value(start, state, move); best.is_null() || worth > most) most = worth, best = move;
    return best;
}

int main() {
    Json start;
    //std::mt19937_64 chance; // that the seed repeats; uncomment what you use, here and below
    for (std::string line; std::getline(std::cin, line);) {
        Json message = Json::parse(line), answer; // "fault" and "end" want none
        const Json &type = message.at("type");
        if (type == "quit") break;
        if (type == "hello") answer = object({{"type", "hello"}, {"protocol", 1}, {"name", "cpp"}});
        if (type == "start") {
            start = message;
            //chance.seed(start.at("seed").get<std::uint64_t>());
            Json cards = message.contains("cards") ? message.at("cards") : message; // in doodle
            for (const char *list : {"starts", "patches"}) // each patch is kept by its id
                for (const Json &patch : cards[list]) start["by_id"][patch.at("id").text()] = patch;
            answer = object({{"type", "ready"}});
        }
        if (type == "turn") {
            Json state = message.at("state"); // gets a "me" for the player whose seat this bot has
            state["me"] = message.at("state").at("players").at(start.at("seat").get<int>());
            answer = object({{"type", "move"}, {"id", message.at("id")}, {"move", decide(start, state)}});
            // The time to search in this turn, and numbers for the record:
            //long t = message.at("time_ms").get<long>(), inc = start["limits"]["increment_ms"].get<long>();
            //long budget_ms = std::min(t * 9 / 10, start["limits"]["match_ms"].is_null() ? t : t / 20 + inc);
            //answer["data"] = object({{"seed", start.at("seed")}, {"budget_ms", budget_ms}});
            //answer["data"]["chance"] = std::uniform_real_distribution<>()(chance); // from 0 to below 1
        }
        if (!answer.is_null()) std::cout << answer << std::endl;
    }
}
