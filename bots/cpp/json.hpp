// Reads and writes JSON: a value, its parts, and a line of text for it.
#pragma once
#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

class Json {
public:
    using Member = std::pair<std::string, Json>;

    Json() = default; // null
    Json(bool value) : kind(Kind::Bool), number(value) {}
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    Json(T value) : kind(Kind::Number), number(double(value)) {}
    Json(std::string value) : kind(Kind::String), string(std::move(value)) {}
    Json(const char *value) : Json(std::string(value)) {}
    template <class T>
    Json(const std::vector<T> &list) : kind(Kind::Array), values(list.begin(), list.end()) {}
    template <class A, class B>
    Json(const std::pair<A, B> &pair) : kind(Kind::Array), values{pair.first, pair.second} {}
    static Json parse(const std::string &text); // throws std::runtime_error

    bool is_null() const { return kind == Kind::Null; }
    bool contains(const std::string &key) const { return find(key) < members.size(); }
    // The value of a key; throws std::out_of_range where there is none.
    const Json &at(const std::string &key) const {
        if (contains(key)) return members[find(key)].second;
        throw std::out_of_range("no field \"" + key + "\"");
    }
    const Json &at(size_t index) const { return values.at(index); }
    // The value of a key, to assign to.
    Json &operator[](const std::string &key) {
        kind = Kind::Object;
        if (!contains(key)) members.emplace_back(key, Json());
        return members[find(key)].second;
    }
    std::vector<Json>::const_iterator begin() const { return values.begin(); }
    std::vector<Json>::const_iterator end() const { return values.end(); }
    // As a number of any type, a std::string, a pair, or a vector of these. Throws std::out_of_range if a
    // number does not fit into a type of integers.
    template <class T> T get() const {
        T value;
        read(value);
        return value;
    }
    const std::string &text() const { return string; }
    bool operator==(const char *other) const { return kind == Kind::String && string == other; }
    bool operator!=(const char *other) const { return !(*this == other); }
    friend std::ostream &operator<<(std::ostream &out, const Json &json);

private:
    enum class Kind { Null, Bool, Number, String, Array, Object };
    Kind kind = Kind::Null;
    double number = 0; // whole numbers are exact below 2^53
    std::string string;
    std::vector<Json> values;
    std::vector<Member> members;

    size_t find(const std::string &key) const {
        size_t at = 0;
        while (at < members.size() && members[at].first != key) at++;
        return at;
    }
    template <class T> std::enable_if_t<std::is_arithmetic_v<T>> read(T &value) const {
        using Limits = std::numeric_limits<T>;
        if (std::is_integral_v<T> && !(number >= Limits::min() && number < std::ldexp(1, Limits::digits)))
            throw std::out_of_range("the type is too small for " + std::to_string(number));
        value = T(number);
    }
    void read(std::string &value) const { value = string; }
    template <class A, class B> void read(std::pair<A, B> &pair) const {
        pair = {values.at(0).get<A>(), values.at(1).get<B>()};
    }
    template <class T> void read(std::vector<T> &list) const {
        for (const Json &value : values) list.push_back(value.get<T>());
    }
    friend struct JsonReader;
    friend Json object(std::vector<Member> members);
};

inline Json object(std::vector<Json::Member> members) {
    Json json;
    json.kind = Json::Kind::Object, json.members = std::move(members);
    return json;
}

struct JsonReader {
    const std::string &text;
    size_t at = 0;

    char peek() {
        while (at < text.size() && std::isspace((unsigned char)text[at])) at++;
        return at < text.size() ? text[at] : '\0';
    }
    bool take(const std::string &word) {
        peek();
        if (text.compare(at, word.size(), word) != 0) return false;
        at += word.size();
        return true;
    }
    void expect(const std::string &word) {
        if (!take(word)) throw std::runtime_error("no " + word + " at byte " + std::to_string(at));
    }

    Json value() {
        if (peek() == '{') return members();
        if (peek() == '[') return array();
        if (peek() == '"') return string();
        if (take("null")) return {};
        if (take("true")) return true;
        if (take("false")) return false;
        Json json;
        size_t length = 0;
        json.kind = Json::Kind::Number, json.number = std::stod(text.substr(at, 32), &length);
        at += length;
        return json;
    }
    Json members() {
        std::vector<Json::Member> members;
        expect("{");
        while (!take("}")) {
            if (!members.empty()) expect(",");
            std::string key = string();
            expect(":");
            members.emplace_back(std::move(key), value());
        }
        return object(std::move(members));
    }
    Json array() {
        std::vector<Json> values;
        expect("[");
        while (!take("]")) {
            if (!values.empty()) expect(",");
            values.push_back(value());
        }
        return values;
    }
    std::string string() {
        std::string read;
        expect("\"");
        while (text.at(at) != '"') read += text[at] == '\\' ? escaped() : std::string(1, text[at++]);
        at++;
        return read;
    }
    // A character behind a backslash, as UTF-8.
    std::string escaped() {
        const std::string names = "bfnrt", meant = "\b\f\n\r\t";
        const char letter = text.at(at + 1);
        at += 2;
        if (letter != 'u') {
            const size_t which = names.find(letter);
            return std::string(1, which == std::string::npos ? letter : meant[which]);
        }
        unsigned code = unit();
        if (code >= 0xD800 && code < 0xDC00 && take("\\u"))
            code = 0x10000 + ((code - 0xD800) << 10) + (unit() - 0xDC00);
        auto tail = [code](int bits) { return char(0x80 | (code >> bits & 63)); };
        if (code < 0x80) return {char(code)};
        if (code < 0x800) return {char(0xC0 | code >> 6), tail(0)};
        if (code < 0x10000) return {char(0xE0 | code >> 12), tail(6), tail(0)};
        return {char(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
    }
    unsigned unit() {
        at += 4;
        return std::stoul(text.substr(at - 4, 4), nullptr, 16);
    }
};

inline Json Json::parse(const std::string &text) { return JsonReader{text}.value(); }

inline std::ostream &operator<<(std::ostream &out, const Json &json) {
    using Kind = Json::Kind;
    const char *between = "";
    if (json.kind == Kind::Null) out << "null";
    if (json.kind == Kind::Bool) out << (json.number ? "true" : "false");
    if (json.kind == Kind::Number) {
        const bool whole = std::abs(json.number) < 1e18 && json.number == std::trunc(json.number);
        char text[32] = "null"; // for infinity, and for what is not a number
        const char *format = whole ? "%.0f" : "%.17g";
        if (std::isfinite(json.number)) std::snprintf(text, sizeof text, format, json.number);
        out << text;
    }
    if (json.kind == Kind::String) {
        out << '"';
        for (char letter : json.string)
            if (letter == '"' || letter == '\\') out << '\\' << letter;
            else if ((unsigned char)letter >= 32) out << letter;
            else out << "\\u00" << letter / 16 << "0123456789abcdef"[letter % 16];
        out << '"';
    }
    if (json.kind == Kind::Array) {
        out << '[';
        for (const Json &value : json.values) out << between << value, between = ",";
        out << ']';
    }
    if (json.kind == Kind::Object) {
        out << '{';
        for (const Json::Member &member : json.members)
            out << between << Json(member.first) << ':' << member.second, between = ",";
        out << '}';
    }
    return out;
}
