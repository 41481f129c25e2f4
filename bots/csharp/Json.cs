using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

/// A value of JSON: json["state"]["phase"].Text. What is missing or of another kind is an exception.
sealed class Json {
    readonly object value; // Dictionary, List, string, long, double, bool or null

    Json(object value) { this.value = value; }

    /// The value that is all of the text.
    public static Json Parse(string text) {
        var reader = new Reader(text);
        var json = reader.Read();
        if (reader.Peek() != '\0') throw reader.Wrong();
        return json;
    }

    public Json this[string key] => ((Dictionary<string, Json>)value)[key];
    /// Whether there is such a field, and it is not null.
    public bool Has(string key) {
        Json found;
        return ((Dictionary<string, Json>)value).TryGetValue(key, out found) && found.value != null;
    }
    public List<Json> List => (List<Json>)value;
    public string[] Lines => List.Select(line => line.Text).ToArray();
    public string Text => (string)value;
    public long Number => (long)value; // a whole one
    public double Fraction => value is long ? (long)value : (double)value;
    public long NumberOr(string key, long other) => Has(key) ? this[key].Number : other;

    sealed class Reader {
        readonly string text;
        int at;

        public Reader(string text) { this.text = text; }

        public FormatException Wrong() => new FormatException("no JSON at character " + at + " of " + text);

        /// The next character that is no space, or '\0' at the end.
        public char Peek() {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
            return at < text.Length ? text[at] : '\0';
        }

        void Expect(char mark) {
            if (Peek() != mark) throw Wrong();
            at++;
        }

        public Json Read() {
            switch (Peek()) {
                case '{': return new Json(Object());
                case '[': return new Json(List());
                case '"': return new Json(String());
                default: return new Json(Word());
            }
        }

        Dictionary<string, Json> Object() {
            var members = new Dictionary<string, Json>();
            for (Expect('{'); Peek() != '}';) {
                if (members.Count > 0) Expect(',');
                var key = String();
                Expect(':');
                members[key] = Read();
            }
            Expect('}');
            return members;
        }

        List<Json> List() {
            var members = new List<Json>();
            for (Expect('['); Peek() != ']';) {
                if (members.Count > 0) Expect(',');
                members.Add(Read());
            }
            Expect(']');
            return members;
        }

        string String() {
            var found = new StringBuilder();
            for (Expect('"'); at < text.Length && text[at] != '"'; at++)
                found.Append(text[at] == '\\' ? Escaped() : text[at]);
            Expect('"');
            return found.ToString();
        }

        /// The character behind a backslash; of a pair of surrogates each half, as C# has them too.
        char Escaped() {
            var name = ++at < text.Length ? "\"\\/bfnrtu".IndexOf(text[at]) : -1;
            if (name < 0 || name == 8 && at + 4 >= text.Length) throw Wrong();
            if (name < 8) return "\"\\/\b\f\n\r\t"[name];
            at += 4;
            return (char)ushort.Parse(text.Substring(at - 3, 4), NumberStyles.AllowHexSpecifier);
        }

        /// A number or one of the three names.
        object Word() {
            var from = at;
            while (at < text.Length && " \t\r\n,:]}".IndexOf(text[at]) < 0) at++;
            var word = text.Substring(from, at - from);
            if (word == "null") return null;
            if (word == "true" || word == "false") return word == "true";
            var culture = CultureInfo.InvariantCulture;
            if (word.IndexOfAny(new[] { '.', 'e', 'E' }) < 0) return long.Parse(word, culture);
            return double.Parse(word, NumberStyles.Float, culture);
        }
    }
}
