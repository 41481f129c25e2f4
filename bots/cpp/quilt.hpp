// The messages, the cells of a shape, and where it fits.
#pragma once
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using Json = nlohmann::ordered_json;
using Board = std::vector<std::string>; // 9 strings of 9 characters: '#' covered, '.' empty
using Cell = std::array<int, 2>;        // row and column, both 0 to 8
using Cells = std::vector<Cell>;

// The player whose seat this bot has.
inline const Json &me(const Json &start, const Json &state) {
    return state.at("players").at(start.at("seat").get<size_t>());
}

// The card or patch with this id.
inline const Json &find(const Json &start, const std::string &id) {
    const Json &cards = start.contains("cards") ? start.at("cards") : start;
    for (const char *list : {"starts", "patches"})
        if (cards.contains(list))
            for (const Json &patch : cards.at(list))
                if (patch.at("id") == id) return patch;
    throw std::runtime_error("no patch " + id);
}

// The distinct rotations and flips of a shape, each moved to the top left corner.
inline std::set<Cells> orientations(const std::vector<std::string> &shape) {
    Cells cells;
    for (int r = 0; r < int(shape.size()); r++)
        for (int c = 0; c < int(shape[r].size()); c++)
            if (shape[r][c] == 'X') cells.push_back({r, c});
    std::set<Cells> found;
    for (int i = 0; i < 8; i++) {
        int top = 9, left = 9;
        for (auto &[r, c] : cells) {
            if (i == 4) c = 8 - c; // the flip; all others are turns by 90 degrees
            else std::tie(r, c) = std::make_tuple(c, 8 - r);
            top = std::min(top, r);
            left = std::min(left, c);
        }
        for (auto &[r, c] : cells) r -= top, c -= left;
        std::sort(cells.begin(), cells.end());
        found.insert(cells);
    }
    return found;
}

// Whether a cell is covered or beyond the edge.
inline bool covered(const Board &board, int r, int c) {
    return r < 0 || r > 8 || c < 0 || c > 8 || board[r][c] == '#';
}

// Every way to lay the shape on empty cells.
inline std::vector<Cells> placements(const std::vector<std::string> &shape, const Board &board) {
    std::vector<Cells> spots;
    for (const Cells &cells : orientations(shape))
        for (int top = 0; top < 9; top++)
            for (int left = 0; left < 9; left++) {
                Cells spot = cells;
                for (auto &[r, c] : spot) r += top, c += left;
                auto taken = [&](const Cell &cell) { return covered(board, cell[0], cell[1]); };
                if (std::none_of(spot.begin(), spot.end(), taken)) spots.push_back(spot);
            }
    return spots;
}
