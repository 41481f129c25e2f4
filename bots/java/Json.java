import java.util.*;
import java.util.function.Consumer;

/**
 * A value of JSON: get("state").get("phase").text(). What is missing or of another kind is an exception.
 * The value is a Map, List, String, Long, Double, Boolean or null.
 */
record Json(Object value) {
    /** The value that is all of the text. */
    static Json parse(String text) {
        Reader reader = new Reader(text);
        Json json = reader.read();
        if (reader.peek() != 0) throw reader.wrong();
        return json;
    }

    /** Whether there is such a field, and it is not null. */
    boolean has(String key) {
        return value instanceof Map<?, ?> map && map.get(key) instanceof Json found && found.value != null;
    }

    Json get(String key) {
        if (value instanceof Map<?, ?> map && map.get(key) instanceof Json found) return found;
        throw new IllegalArgumentException("no \"" + key + "\" in " + value);
    }

    @SuppressWarnings("unchecked") List<Json> list() { return (List<Json>) value; }
    String text() { return (String) value; }
    long number() { return (Long) value; } // a whole one
    long number(String key) { return has(key) ? get(key).number() : 0; }
    double fraction() { return ((Number) value).doubleValue(); }

    @Override public String toString() { return String.valueOf(value); }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) { this.text = text; }

        IllegalArgumentException wrong() {
            return new IllegalArgumentException("no JSON at character " + at + " of " + text);
        }

        /** The next character that is no space, or 0 at the end. */
        char peek() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
            return at < text.length() ? text.charAt(at) : 0;
        }

        void expect(char mark) {
            if (peek() != mark) throw wrong();
            at++;
        }

        Json read() {
            return new Json(switch (peek()) {
                case '{' -> members('}', new HashMap<String, Json>(), map -> {
                    String key = string();
                    expect(':');
                    map.put(key, read());
                });
                case '[' -> members(']', new ArrayList<Json>(), list -> list.add(read()));
                case '"' -> string();
                default -> word();
            });
        }

        /** Fills an object or list with its members, which have commas between them. */
        <T> T members(char end, T found, Consumer<T> member) {
            at++;
            if (peek() != end) member.accept(found);
            while (peek() != end) {
                expect(',');
                member.accept(found);
            }
            at++;
            return found;
        }

        String string() {
            StringBuilder found = new StringBuilder();
            expect('"');
            for (; at < text.length() && text.charAt(at) != '"'; at++)
                found.append(text.charAt(at) == '\\' ? escaped() : text.charAt(at));
            expect('"');
            return found.toString();
        }

        /** The character behind a backslash; of a pair of surrogates each half, as Java has them too. */
        char escaped() {
            int name = ++at < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(at)) : -1;
            if (name < 0 || name == 8 && at + 4 >= text.length()) throw wrong();
            if (name < 8) return "\"\\/\b\f\n\r\t".charAt(name);
            at += 4;
            return (char) Integer.parseInt(text, at - 3, at + 1, 16);
        }

        /** A number or one of the three names. */
        Object word() {
            int from = at;
            while (at < text.length() && " \t\r\n,:]}".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(from, at);
            if (word.equals("null")) return null;
            if (word.equals("true") || word.equals("false")) return word.equals("true");
            if (word.isEmpty() || "-0123456789".indexOf(word.charAt(0)) < 0) throw wrong();
            if (word.contains(".") || word.contains("e") || word.contains("E")) return Double.valueOf(word);
            return Long.valueOf(word);
        }
    }
}
