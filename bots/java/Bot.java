import java.io.*;
import java.util.*;
import java.util.stream.*;

/** A bot for both games: it lays patches where they touch most. Write your strategy into `value`. */
final class Bot {
    /** The kind is "card", "pass", "buy", "advance" or "leather". A cell is {row, column}, both 0 to 8. */
    record Move(String kind, Json patch, int[][] cells) {
        @Override public String toString() {
            if (patch == null) return "{\"" + kind + "\":true}";
            if (kind.equals("leather")) return "{\"leather\":" + Arrays.toString(cells[0]) + "}";
            String list = Arrays.deepToString(cells);
            return String.format("{\"%s\":\"%s\",\"cells\":%s}", kind, patch.get("id"), list);
        }
    }

    /** The card or patch with this id. */
    static Json find(Json start, Json id) {
        Json cards = start.has("cards") ? start.get("cards") : start;
        var lists = Stream.of("starts", "patches").filter(cards::has).map(name -> cards.get(name).list());
        return lists.flatMap(List::stream).filter(card -> card.get("id").equals(id)).findFirst().get();
    }

    /** The moves that are looked at. All are legal; protocol.md tells of more. */
    static List<Move> moves(Json start, Json state, Json me) {
        List<Json> board = me.get("board").list();
        String phase = state.get("phase").text();
        if (phase.equals("leather")) return placements("leather", Json.parse("{\"cells\":[\"X\"]}"), board);
        boolean doodle = start.get("game").text().equals("doodle");
        List<Move> found = new ArrayList<>();
        for (Json id : state.get(doodle ? "offer" : "circle").list().stream().limit(3).toList()) {
            Json patch = find(start, id);
            if (doodle || patch.get("buttons").number() <= me.get("buttons").number())
                found.addAll(placements(doodle ? "card" : "buy", patch, board));
        }
        if (!phase.equals("start")) found.add(new Move(doodle ? "pass" : "advance", null, null));
        return found;
    }

    /** How good a move is; the first of the best is played. */
    static long value(Json start, Json state, Json me, Move move) {
        if (move.kind.equals("pass")) return -1;
        if (move.kind.equals("advance")) return 0;
        int touching = contact(me.get("board").list(), move.cells);
        if (!move.kind.equals("buy")) return touching;
        Json patch = move.patch;
        long worth = 2 * move.cells.length - patch.get("buttons").number() - patch.get("time").number();
        for (Json space : start.get("track").get("income").list()) // the payments to come
            if (space.number() > me.get("space").number()) worth += patch.get("income").number();
        return 100 * worth + touching;
    }

    /** How many sides of the cells touch the edge or a covered cell. */
    static int contact(List<Json> board, int[][] cells) {
        int[][] steps = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
        var around = Arrays.stream(cells).flatMap(cell -> Arrays.stream(moved(steps, cell[0], cell[1])));
        return (int) around.filter(cell -> covered(board, cell[0], cell[1])).count();
    }

    /** Whether a cell is covered or beyond the edge. */
    static boolean covered(List<Json> board, int r, int c) {
        return r < 0 || r > 8 || c < 0 || c > 8 || board.get(r).text().charAt(c) == '#';
    }

    static int[][] moved(int[][] cells, int down, int right) {
        var moved = Arrays.stream(cells).map(cell -> new int[] {cell[0] + down, cell[1] + right});
        return moved.toArray(int[][]::new);
    }

    /** The distinct rotations and flips of a shape, each moved to the top left corner. */
    static Set<int[][]> orientations(List<Json> shape) {
        List<int[]> cells = new ArrayList<>();
        for (int i = 0; i < 9 * shape.size(); i++)
            if (shape.get(i / 9).text().startsWith("X", i % 9)) cells.add(new int[] {i / 9, i % 9});
        Set<int[][]> found = new TreeSet<>((a, b) -> Arrays.compare(a, b, Arrays::compare));
        for (int i = 0; i < 8; i++) {
            boolean flip = i == 4; // all others are turns by 90 degrees
            cells.replaceAll(cell -> flip ? new int[] {cell[0], -cell[1]} : new int[] {cell[1], -cell[0]});
            cells.sort(Arrays::compare);
            int left = cells.stream().mapToInt(cell -> cell[1]).min().getAsInt();
            found.add(moved(cells.toArray(int[][]::new), -cells.get(0)[0], -left));
        }
        return found;
    }

    /** Every way to lay the patch on empty cells. */
    static List<Move> placements(String kind, Json patch, List<Json> board) {
        List<Move> found = new ArrayList<>();
        for (int[][] cells : orientations(patch.get("cells").list()))
            IntStream.range(0, 81).mapToObj(corner -> moved(cells, corner / 9, corner % 9))
                .filter(spot -> Arrays.stream(spot).noneMatch(cell -> covered(board, cell[0], cell[1])))
                .forEach(spot -> found.add(new Move(kind, patch, spot)));
        return found;
    }

    static Move decide(Json start, Json state) {
        Json me = state.get("players").list().get((int) start.get("seat").number());
        TreeMap<Long, Move> firsts = new TreeMap<>(); // the first move of each value
        for (Move move : moves(start, state, me)) firsts.putIfAbsent(value(start, state, me, move), move);
        return firsts.lastEntry().getValue();
    }

    public static void main(String[] args) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        Json start = null;
        //SplittableRandom chance = null; // that the seed repeats; uncomment what you use, here and below
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Json message = Json.parse(line);
            String type = message.get("type").text(), answer = null; // "fault" and "end" want none
            if (type.equals("quit")) break;
            if (type.equals("hello")) answer = "{\"type\":\"hello\",\"protocol\":1,\"name\":\"java\"}";
            if (type.equals("start")) answer = "{\"type\":\"ready\"}";
            if (type.equals("start")) start = message;
            //if (type.equals("start")) chance = new SplittableRandom(start.get("seed").number());
            if (type.equals("turn")) {
                String data = ""; // numbers for the record, and the time to search in this turn:
                //long t = message.get("time_ms").number(), inc = start.get("limits").number("increment_ms");
                //var budgetMs = Math.min(t * 9 / 10, start.get("limits").has("match_ms") ? t / 20 + inc : t);
                //data = ",\"data\":{\"seed\":" + start.get("seed") + ",\"budget_ms\":" + budgetMs;
                //data += ",\"chance\":" + chance.nextDouble() + "}";
                answer = String.format("{\"type\":\"move\",\"id\":%s,\"move\":%s%s}", message.get("id"),
                    decide(start, message.get("state")), data);
            }
            if (answer != null) System.out.println(answer);
            System.out.flush();
        }
    }
}
