/// What the messages say, the cells of a shape, and where it fits.
/// A board is 9 strings of 9 characters: '#' covered, '.' empty.
module quilt;

import std.algorithm;
import std.array;
import std.json;
import std.range;

alias Cell = int[2]; /// row and column, both 0 to 8

/// A list of strings.
string[] strings(JSONValue list)
{
    return list.array.map!(text => text.str).array;
}

/// The player whose seat this bot has.
JSONValue me(JSONValue start, JSONValue state)
{
    return state["players"][cast(size_t) start["seat"].integer];
}

/// The card or patch with this id.
JSONValue patch(JSONValue start, string id)
{
    auto patches = "cards" in start ? start["cards"]["starts"].array ~ start["cards"]["patches"].array
        : start["patches"].array;
    return patches.find!(patch => patch["id"].str == id).front;
}

/// The distinct rotations and flips of a shape, each moved to the top left corner.
Cell[][] orientations(const string[] shape)
{
    Cell[] cells;
    foreach (r, row; shape)
        foreach (c, mark; row)
            if (mark == 'X')
                cells ~= [cast(int) r, cast(int) c];
    Cell[][] found;
    foreach (i; 0 .. 8)
    {
        foreach (ref cell; cells) // flipped at 4, else turned by 90 degrees
            cell = i == 4 ? [cell[0], -cell[1]] : [cell[1], -cell[0]];
        const top = cells.map!(cell => cell[0]).minElement, left = cells.map!(cell => cell[1]).minElement;
        found ~= cells.map!(cell => cast(Cell)[cell[0] - top, cell[1] - left]).array.sort.array;
    }
    return found.sort.uniq.array;
}

/// Whether a cell is covered or beyond the edge.
bool covered(const string[] board, int r, int c)
{
    return r < 0 || r > 8 || c < 0 || c > 8 || board[r][c] == '#';
}

/// Every way to lay the shape on empty cells.
Cell[][] placements(const string[] shape, const string[] board)
{
    Cell[][] found;
    foreach (cells; orientations(shape))
        foreach (top; 0 .. 9)
            foreach (left; 0 .. 9)
            {
                auto spot = cells.map!(cell => cast(Cell)[cell[0] + top, cell[1] + left]);
                if (!spot.any!(cell => covered(board, cell[0], cell[1])))
                    found ~= spot.array;
            }
    return found;
}
