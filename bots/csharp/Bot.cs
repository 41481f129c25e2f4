using System;
using System.Collections.Generic;
using System.Linq;

/// A bot for both games: it lays patches where they touch most. Write your strategy into `Value`.
static class Bot {
    /// The kind is "card", "pass", "buy", "advance" or "leather". A cell is the number 9 * row + column.
    sealed class Move {
        public string Kind;
        public Json Patch;
        public int[] Cells;

        public override string ToString() {
            if (Cells == null) return $"{{\"{Kind}\":true}}";
            var cells = string.Join(",", Cells.Select(cell => $"[{cell / 9},{cell % 9}]"));
            if (Patch == null) return $"{{\"leather\":{cells}}}";
            return $"{{\"{Kind}\":\"{Patch["id"].Text}\",\"cells\":[{cells}]}}";
        }
    }

    /// The moves that are looked at. All are legal; protocol.md tells of more.
    static IEnumerable<Move> Moves(Json start, Json state) {
        var me = Me(start, state);
        if (start["game"].Text == "doodle") {
            foreach (var card in state["offer"].List.Select(id => Find(start, id)))
                foreach (var cells in Placements(card["cells"].Lines, me["board"].Lines))
                    yield return new Move { Kind = "card", Patch = card, Cells = cells };
            if (state["phase"].Text != "start") yield return new Move { Kind = "pass" };
        } else if (state["phase"].Text == "leather") {
            foreach (var cells in Placements(new[] { "X" }, me["board"].Lines))
                yield return new Move { Kind = "leather", Cells = cells };
        } else {
            foreach (var patch in state["circle"].List.Take(3).Select(id => Find(start, id)))
                if (patch["buttons"].Number <= me["buttons"].Number)
                    foreach (var cells in Placements(patch["cells"].Lines, me["board"].Lines))
                        yield return new Move { Kind = "buy", Patch = patch, Cells = cells };
            yield return new Move { Kind = "advance" };
        }
    }

    /// How good a move is; the first of the best is played.
    static long Value(Json start, Json state, Move move) {
        if (move.Kind == "pass") return -1;
        if (move.Kind == "advance") return 0;
        var me = Me(start, state);
        var touching = Contact(me["board"].Lines, move.Cells);
        if (move.Kind != "buy") return touching;
        var payments = start["track"]["income"].List.Count(space => space.Number > me["space"].Number);
        var price = move.Patch["buttons"].Number + move.Patch["time"].Number;
        var worth = 2 * move.Cells.Length + payments * move.Patch["income"].Number - price;
        return 100 * worth + touching;
    }

    /// How many sides of the cells touch the edge or a covered cell.
    static int Contact(string[] board, int[] cells) {
        var around = new[] { new[] { -1, 0 }, new[] { 0, -1 }, new[] { 0, 1 }, new[] { 1, 0 } };
        return cells.Sum(cell =>
            around.Count(step => Covered(board, cell / 9 + step[0], cell % 9 + step[1])));
    }

    /// Whether a cell is covered or beyond the edge.
    static bool Covered(string[] board, int r, int c) =>
        r < 0 || r > 8 || c < 0 || c > 8 || board[r][c] == '#';

    /// The distinct rotations and flips of a shape, each moved to the top left corner.
    static IEnumerable<int[]> Orientations(string[] shape) {
        var all = Enumerable.Range(0, 9 * shape.Length);
        var cells = all.Where(cell => shape[cell / 9].PadRight(9)[cell % 9] == 'X').ToArray();
        var found = new SortedDictionary<string, int[]>(StringComparer.Ordinal);
        for (var i = 0; i < 8; i++) {
            var flip = i == 4; // all others are turns by 90 degrees
            var turned = cells.Select(cell =>
                flip ? cell / 9 * 9 + 8 - cell % 9 : cell % 9 * 9 + 8 - cell / 9);
            var corner = 9 * turned.Min(cell => cell / 9) + turned.Min(cell => cell % 9);
            cells = turned.Select(cell => cell - corner).OrderBy(cell => cell).ToArray();
            found[string.Join(" ", cells.Select(cell => cell.ToString("00")))] = cells; // sorts as text
        }
        return found.Values;
    }

    /// Every way to lay the shape on empty cells.
    static IEnumerable<int[]> Placements(string[] shape, string[] board) {
        foreach (var cells in Orientations(shape))
            foreach (var corner in Enumerable.Range(0, 81))
                if (!cells.Any(cell => Covered(board, cell / 9 + corner / 9, cell % 9 + corner % 9)))
                    yield return cells.Select(cell => cell + corner).ToArray();
    }

    /// The player whose seat this bot has.
    static Json Me(Json start, Json state) => state["players"].List[(int)start["seat"].Number];

    /// The card or patch with this id.
    static Json Find(Json start, Json id) {
        var cards = start.Has("cards") ? start["cards"] : start;
        var all = cards["patches"].List.Concat(cards.Has("starts") ? cards["starts"].List : new List<Json>());
        return all.First(patch => patch["id"].Text == id.Text);
    }

    static Move Decide(Json start, Json state) {
        var values = Moves(start, state).Select(move => new { move, value = Value(start, state, move) });
        return values.Aggregate((best, next) => next.value > best.value ? next : best).move;
    }

    static void Main() {
        Json start = null;
        //Random chance = null; // that the seed repeats; uncomment what you use, here and below
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine()) {
            var message = Json.Parse(line);
            var type = message["type"].Text; // "fault" and "end" want no answer
            if (type == "quit") break;
            if (type == "hello") Console.WriteLine("{\"type\":\"hello\",\"protocol\":1,\"name\":\"csharp\"}");
            if (type == "start") Console.WriteLine("{\"type\":\"ready\"}");
            if (type == "start") start = message;
            //if (type == "start") chance = new Random(start["seed"].Number.GetHashCode()); // of all 53 bits
            if (type == "turn") {
                var move = Decide(start, message["state"]);
                Console.Write($"{{\"type\":\"move\",\"id\":{message["id"].Number},\"move\":{move}");
                // The time to search in this turn, and numbers for the record:
                //long ms = message["time_ms"].Number, more = start["limits"].NumberOr("increment_ms", 0);
                //var budgetMs = Math.Min(ms * 9 / 10, start["limits"].Has("match_ms") ? ms / 20 + more : ms);
                //Console.Write($",\"data\":{{\"seed\":{start["seed"].Number},\"budget_ms\":{budgetMs}");
                //Console.Write(FormattableString.Invariant($",\"chance\":{chance.NextDouble():R}") + "}");
                Console.WriteLine("}");
            }
            Console.Out.Flush();
        }
    }
}
