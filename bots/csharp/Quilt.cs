using System.Collections.Generic;
using System.Linq;

/// The messages, the cells of a shape, and where it fits.
/// A cell is {row, column}, both 0 to 8. A board is 9 strings of 9 characters: '#' covered, '.' empty.
static class Quilt
{
    /// The player whose seat this bot has.
    public static Json Me(Json start, Json state) => state["players"].List[(int)start["seat"].Number];

    /// The card or patch with this id.
    public static Json Find(Json start, Json id)
    {
        var cards = start.Has("cards") ? start["cards"] : start;
        IEnumerable<Json> patches = cards["patches"].List;
        if (cards.Has("starts")) patches = cards["starts"].List.Concat(patches);
        return patches.First(patch => patch["id"].Text == id.Text);
    }

    /// The strings of a list.
    public static string[] Lines(Json list) => list.List.Select(line => line.Text).ToArray();

    /// The distinct rotations and flips of a shape, each moved to the top left corner.
    public static List<int[][]> Orientations(string[] shape)
    {
        var cells = new List<int[]>();
        for (var r = 0; r < shape.Length; r++)
            for (var c = 0; c < shape[r].Length; c++)
                if (shape[r][c] == 'X') cells.Add(new[] { r, c });
        var found = new List<int[][]>();
        for (var i = 0; i < 8; i++)
        {
            var flip = i == 4; // all others are turns by 90 degrees
            cells = cells.ConvertAll(cell =>
                flip ? new[] { cell[0], -cell[1] } : new[] { cell[1], -cell[0] });
            var turned = Moved(cells, -cells.Min(cell => cell[0]), -cells.Min(cell => cell[1]));
            turned = turned.OrderBy(cell => cell[0]).ThenBy(cell => cell[1]).ToArray();
            if (!found.Any(known => Compare(known, turned) == 0)) found.Add(turned);
        }
        found.Sort(Compare);
        return found;
    }

    static int Compare(int[][] one, int[][] other)
    {
        for (var i = 0; i < 2 * one.Length; i++)
        {
            var order = one[i / 2][i % 2] - other[i / 2][i % 2];
            if (order != 0) return order;
        }
        return 0;
    }

    static int[][] Moved(IEnumerable<int[]> cells, int down, int right) =>
        cells.Select(cell => new[] { cell[0] + down, cell[1] + right }).ToArray();

    /// Whether a cell is covered or beyond the edge.
    public static bool Covered(string[] board, int r, int c) =>
        r < 0 || r > 8 || c < 0 || c > 8 || board[r][c] == '#';

    /// Every way to lay the shape on empty cells.
    public static IEnumerable<int[][]> Placements(string[] shape, string[] board)
    {
        foreach (var cells in Orientations(shape))
            for (var top = 0; top < 9; top++)
                for (var left = 0; left < 9; left++)
                {
                    var spot = Moved(cells, top, left);
                    if (!spot.Any(cell => Covered(board, cell[0], cell[1]))) yield return spot;
                }
    }
}
