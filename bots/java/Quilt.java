import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** The cells of a shape, and where it fits. A board is 9 strings of 9 characters: '#' covered, '.' empty. */
final class Quilt {
    private Quilt() {}

    /** A row and a column, both 0 to 8; by row, then column. */
    record Cell(int row, int col) implements Comparable<Cell> {
        @Override public int compareTo(Cell other) {
            return row != other.row ? row - other.row : col - other.col;
        }

        /** As the protocol has it. */
        @Override public String toString() {
            return "[" + row + "," + col + "]";
        }
    }

    /** The distinct rotations and flips of a shape, each moved to the top left corner. */
    static Iterable<List<Cell>> orientations(List<Json> shape) {
        List<Cell> cells = new ArrayList<>();
        for (int r = 0; r < shape.size(); r++)
            for (int c = 0; c < shape.get(r).text().length(); c++)
                if (shape.get(r).text().charAt(c) == 'X') cells.add(new Cell(r, c));
        TreeSet<List<Cell>> found = new TreeSet<>(Quilt::compare);
        for (int i = 0; i < 8; i++) {
            boolean flip = i == 4; // all others are turns by 90 degrees
            cells.replaceAll(cell -> flip ? new Cell(cell.row, -cell.col) : new Cell(cell.col, -cell.row));
            int top = 9, left = 9;
            for (Cell cell : cells) {
                top = Math.min(top, cell.row);
                left = Math.min(left, cell.col);
            }
            found.add(moved(cells, -top, -left).stream().sorted().toList());
        }
        return found;
    }

    private static int compare(List<Cell> one, List<Cell> other) {
        for (int i = 0; i < one.size(); i++) {
            int order = one.get(i).compareTo(other.get(i));
            if (order != 0) return order;
        }
        return 0;
    }

    private static List<Cell> moved(List<Cell> cells, int down, int right) {
        List<Cell> moved = new ArrayList<>();
        for (Cell cell : cells) moved.add(new Cell(cell.row + down, cell.col + right));
        return moved;
    }

    /** Whether a cell is covered or beyond the edge. */
    static boolean covered(List<Json> board, int row, int col) {
        return row < 0 || row > 8 || col < 0 || col > 8 || board.get(row).text().charAt(col) == '#';
    }

    /** Every way to lay the shape on empty cells. */
    static List<List<Cell>> placements(List<Json> shape, List<Json> board) {
        List<List<Cell>> found = new ArrayList<>();
        for (List<Cell> cells : orientations(shape))
            for (int top = 0; top < 9; top++)
                for (int left = 0; left < 9; left++) {
                    List<Cell> spot = moved(cells, top, left);
                    if (spot.stream().noneMatch(cell -> covered(board, cell.row, cell.col))) found.add(spot);
                }
        return found;
    }
}
