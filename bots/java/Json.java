import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A value of JSON: get("state").get("phase").text(). What is missing or of another kind is an exception. */
final class Json {
    private final Object value; // Map, List, String, Long, Double, Boolean or null

    private Json(Object value) {
        this.value = value;
    }

    /** The value that is all of the text. */
    static Json parse(String text) {
        Reader reader = new Reader(text);
        Json json = reader.read();
        if (reader.peek() != 0) throw reader.wrong();
        return json;
    }

    boolean has(String key) {
        return value instanceof Map<?, ?> map && map.containsKey(key);
    }

    Json get(String key) {
        if (!has(key)) throw new IllegalArgumentException("no \"" + key + "\" in " + value);
        return (Json) ((Map<?, ?>) value).get(key);
    }

    @SuppressWarnings("unchecked")
    List<Json> list() {
        return (List<Json>) value;
    }

    String text() {
        return (String) value;
    }

    long number() {
        return (Long) value;
    }

    @Override public String toString() {
        return String.valueOf(value);
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

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
                case '{' -> object();
                case '[' -> list();
                case '"' -> string();
                default -> word();
            });
        }

        Map<String, Json> object() {
            Map<String, Json> members = new LinkedHashMap<>();
            expect('{');
            while (peek() != '}') {
                if (!members.isEmpty()) expect(',');
                peek();
                String key = string();
                expect(':');
                members.put(key, read());
            }
            expect('}');
            return members;
        }

        List<Json> list() {
            List<Json> members = new ArrayList<>();
            expect('[');
            while (peek() != ']') {
                if (!members.isEmpty()) expect(',');
                members.add(read());
            }
            expect(']');
            return members;
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
            if (name < 0) throw wrong();
            if (name < 8) return "\"\\/\b\f\n\r\t".charAt(name);
            if (at + 4 >= text.length()) throw wrong();
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
