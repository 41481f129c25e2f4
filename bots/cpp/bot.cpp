// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
#include "quilt.hpp"
#include <iostream>

struct Move {
    std::string kind; // "card", "pass", "buy", "advance" or "leather"
    std::string id;   // of the card or patch
    Cells cells;
};

// The moves that are looked at. All are legal; protocol.md tells of more.
std::vector<Move> moves(const Json &start, const Json &state) {
    std::vector<Move> found;
    const Board board = me(start, state).at("board");
    auto lay = [&](const std::string &kind, const std::string &id, const std::vector<std::string> &shape) {
        for (const Cells &cells : placements(shape, board)) found.push_back({kind, id, cells});
    };
    if (start.at("game") == "doodle") {
        for (const std::string id : state.at("offer")) lay("card", id, find(start, id).at("cells"));
        if (state.at("phase") != "start") found.push_back({"pass", "", {}});
    } else if (state.at("phase") == "leather") {
        lay("leather", "", {"X"});
    } else {
        const std::vector<std::string> circle = state.at("circle");
        for (size_t i = 0; i < std::min<size_t>(3, circle.size()); i++) {
            const Json &patch = find(start, circle[i]);
            const Json &buttons = me(start, state).at("buttons");
            if (patch.at("buttons") <= buttons) lay("buy", circle[i], patch.at("cells"));
        }
        found.push_back({"advance", "", {}});
    }
    return found;
}

// How many sides of the cells touch the edge or a covered cell.
int contact(const Board &board, const Cells &cells) {
    const Cell around[] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
    int sides = 0;
    for (auto [r, c] : cells)
        for (auto [dr, dc] : around) sides += covered(board, r + dr, c + dc);
    return sides;
}

// How good a move is; the first of the best is played.
int value(const Json &start, const Json &state, const Move &move) {
    if (move.kind == "pass") return -1;
    if (move.kind == "advance") return 0;
    int touching = contact(me(start, state).at("board"), move.cells);
    if (move.kind != "buy") return touching;
    const Json &patch = find(start, move.id), &marks = start.at("track").at("income");
    const Json &space = me(start, state).at("space");
    int payments = std::count_if(marks.begin(), marks.end(), [&](const Json &mark) { return mark > space; });
    int price = patch.at("buttons").get<int>() + patch.at("time").get<int>();
    int worth = 2 * int(move.cells.size()) + payments * patch.at("income").get<int>() - price;
    return 100 * worth + touching;
}

Move decide(const Json &start, const Json &state) {
    const std::vector<Move> found = moves(start, state);
    auto best = found.begin();
    int most = value(start, state, *best);
    for (auto move = best + 1; move != found.end(); ++move) {
        int worth = value(start, state, *move);
        if (worth > most) most = worth, best = move;
    }
    return *best;
}

void to_json(Json &json, const Move &move) {
    if (move.id != "") json = {{move.kind, move.id}, {"cells", move.cells}};
    else if (move.kind == "leather") json = {{"leather", move.cells[0]}};
    else json = {{move.kind, true}};
}

int main() {
    Json start;
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = Json::parse(line);
        const std::string type = message.at("type");
        Json answer;
        if (type == "hello") {
            answer = {{"type", "hello"}, {"protocol", 1}, {"name", "cpp"}};
        } else if (type == "start") {
            start = message;
            answer = {{"type", "ready"}};
        } else if (type == "turn") {
            const Move move = decide(start, message.at("state"));
            answer = {{"type", "move"}, {"id", message.at("id")}, {"move", move}};
        } else if (type == "quit") {
            break;
        } else {
            continue; // "fault" and "end" want no answer
        }
        std::cout << answer << std::endl;
    }
}
