import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A bot for both games: it lays patches where they touch most. Write your strategy into `value`. */
final class Bot {
    private Bot() {}

    /** The kind is "card", "pass", "buy", "advance" or "leather"; the patch is null if there is none. */
    record Move(String kind, Json patch, List<Quilt.Cell> cells) {
        @Override public String toString() {
            if (kind.equals("leather")) return "{\"leather\":" + cells.get(0) + "}";
            if (patch == null) return "{\"" + kind + "\":true}";
            return "{\"" + kind + "\":\"" + patch.get("id") + "\",\"cells\":" + cells + "}";
        }
    }

    static Json me(Json start, Json state) {
        return state.get("players").list().get((int) start.get("seat").number());
    }

    static Json find(Json start, Json id) {
        Json cards = start.has("cards") ? start.get("cards") : start;
        List<Json> patches = new ArrayList<>(cards.get("patches").list());
        if (cards.has("starts")) patches.addAll(cards.get("starts").list());
        for (Json patch : patches)
            if (patch.get("id").text().equals(id.text())) return patch;
        throw new IllegalArgumentException("no patch " + id);
    }

    /** The moves that are looked at. All are legal; protocol.md tells of more. */
    static List<Move> moves(Json start, Json state) {
        List<Move> found = new ArrayList<>();
        List<Json> board = me(start, state).get("board").list();
        String phase = state.get("phase").text();
        if (start.get("game").text().equals("doodle")) {
            for (Json id : state.get("offer").list()) {
                Json card = find(start, id);
                for (var cells : Quilt.placements(card.get("cells").list(), board))
                    found.add(new Move("card", card, cells));
            }
            if (!phase.equals("start")) found.add(new Move("pass", null, List.of()));
        } else if (phase.equals("leather")) {
            for (var cells : Quilt.placements(Json.parse("[\"X\"]").list(), board))
                found.add(new Move("leather", null, cells));
        } else {
            List<Json> circle = state.get("circle").list();
            for (Json id : circle.subList(0, Math.min(3, circle.size()))) {
                Json patch = find(start, id);
                if (patch.get("buttons").number() <= me(start, state).get("buttons").number())
                    for (var cells : Quilt.placements(patch.get("cells").list(), board))
                        found.add(new Move("buy", patch, cells));
            }
            found.add(new Move("advance", null, List.of()));
        }
        return found;
    }

    /** How good a move is; the first of the best is played. */
    static long value(Json start, Json state, Move move) {
        if (move.kind.equals("pass")) return -1;
        if (move.kind.equals("advance")) return 0;
        int touching = contact(me(start, state).get("board").list(), move.cells);
        if (!move.kind.equals("buy")) return touching;
        long space = me(start, state).get("space").number(), payments = 0;
        for (Json mark : start.get("track").get("income").list())
            if (mark.number() > space) payments++;
        long price = move.patch.get("buttons").number() + move.patch.get("time").number();
        long worth = 2 * move.cells.size() + payments * move.patch.get("income").number() - price;
        return 100 * worth + touching;
    }

    /** How many sides of the cells touch the edge or a covered cell. */
    static int contact(List<Json> board, List<Quilt.Cell> cells) {
        int sides = 0;
        for (Quilt.Cell cell : cells)
            for (int[] step : new int[][] {{-1, 0}, {0, -1}, {0, 1}, {1, 0}})
                if (Quilt.covered(board, cell.row() + step[0], cell.col() + step[1])) sides++;
        return sides;
    }

    static Move decide(Json start, Json state) {
        Move best = null;
        long most = Long.MIN_VALUE;
        for (Move move : moves(start, state)) {
            long worth = value(start, state, move);
            if (worth > most) {
                most = worth;
                best = move;
            }
        }
        return best;
    }

    public static void main(String[] args) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Json start = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Json message = Json.parse(line);
            switch (message.get("type").text()) {
                case "hello" -> System.out.println("{\"type\":\"hello\",\"protocol\":1,\"name\":\"java\"}");
                case "start" -> {
                    start = message;
                    System.out.println("{\"type\":\"ready\"}");
                }
                case "turn" -> {
                    String move = "\"move\":" + decide(start, message.get("state"));
                    System.out.println("{\"type\":\"move\",\"id\":" + message.get("id") + "," + move + "}");
                }
                case "quit" -> { return; }
                default -> { } // "fault" and "end" want no answer
            }
            System.out.flush();
        }
    }
}
