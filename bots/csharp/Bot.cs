using System;
using System.Collections.Generic;
using System.Linq;

/// A bot for both games: it lays patches where they touch most. Write your strategy into `Value`.
static class Bot
{
    /// The kind is "card", "pass", "buy", "advance" or "leather"; what it does not need is null.
    sealed class Move
    {
        public string Kind;
        public Json Patch;
        public int[][] Cells;

        public override string ToString()
        {
            if (Cells == null) return "{\"" + Kind + "\":true}";
            var cells = string.Join(",", Cells.Select(cell => "[" + cell[0] + "," + cell[1] + "]"));
            if (Patch == null) return "{\"" + Kind + "\":" + cells + "}";
            return "{\"" + Kind + "\":\"" + Patch["id"].Text + "\",\"cells\":[" + cells + "]}";
        }
    }

    /// The moves that are looked at. All are legal; protocol.md tells of more.
    static IEnumerable<Move> Moves(Json start, Json state)
    {
        var board = Quilt.Lines(Quilt.Me(start, state)["board"]);
        if (start["game"].Text == "doodle")
        {
            foreach (var card in state["offer"].List.Select(id => Quilt.Find(start, id)))
                foreach (var cells in Quilt.Placements(Quilt.Lines(card["cells"]), board))
                    yield return new Move { Kind = "card", Patch = card, Cells = cells };
            if (state["phase"].Text != "start") yield return new Move { Kind = "pass" };
        }
        else if (state["phase"].Text == "leather")
        {
            foreach (var cells in Quilt.Placements(new[] { "X" }, board))
                yield return new Move { Kind = "leather", Cells = cells };
        }
        else
        {
            foreach (var patch in state["circle"].List.Take(3).Select(id => Quilt.Find(start, id)))
                if (patch["buttons"].Number <= Quilt.Me(start, state)["buttons"].Number)
                    foreach (var cells in Quilt.Placements(Quilt.Lines(patch["cells"]), board))
                        yield return new Move { Kind = "buy", Patch = patch, Cells = cells };
            yield return new Move { Kind = "advance" };
        }
    }

    /// How good a move is; the first of the best is played.
    static long Value(Json start, Json state, Move move)
    {
        if (move.Kind == "pass") return -1;
        if (move.Kind == "advance") return 0;
        var touching = Contact(Quilt.Lines(Quilt.Me(start, state)["board"]), move.Cells);
        if (move.Kind != "buy") return touching;
        var space = Quilt.Me(start, state)["space"].Number;
        var payments = start["track"]["income"].List.Count(mark => mark.Number > space);
        var price = move.Patch["buttons"].Number + move.Patch["time"].Number;
        var worth = 2 * move.Cells.Length + payments * move.Patch["income"].Number - price;
        return 100 * worth + touching;
    }

    /// How many sides of the cells touch the edge or a covered cell.
    static int Contact(string[] board, int[][] cells)
    {
        var around = new[] { new[] { -1, 0 }, new[] { 0, -1 }, new[] { 0, 1 }, new[] { 1, 0 } };
        return cells.Sum(cell =>
            around.Count(step => Quilt.Covered(board, cell[0] + step[0], cell[1] + step[1])));
    }

    static Move Decide(Json start, Json state)
    {
        Move best = null;
        var most = long.MinValue;
        foreach (var move in Moves(start, state))
        {
            var worth = Value(start, state, move);
            if (worth <= most) continue;
            most = worth;
            best = move;
        }
        return best;
    }

    static void Main()
    {
        Json start = null;
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var message = Json.Parse(line);
            var type = message["type"].Text;
            string answer = null; // "fault" and "end" want none
            if (type == "hello") answer = "{\"type\":\"hello\",\"protocol\":1,\"name\":\"csharp\"}";
            if (type == "start")
            {
                start = message;
                answer = "{\"type\":\"ready\"}";
            }
            if (type == "turn")
            {
                var move = Decide(start, message["state"]);
                answer = "{\"type\":\"move\",\"id\":" + message["id"].Number + ",\"move\":" + move + "}";
            }
            if (type == "quit") break;
            if (answer != null) Console.WriteLine(answer);
            Console.Out.Flush();
        }
    }
}
