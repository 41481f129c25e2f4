/* Reads JSON into a tree. What is not there, or of another kind, is NULL and reads as "" or 0, so that
   json_text(json_get(json_get(message, "state"), "phase")) needs no checks. */
#ifndef JSON_H
#define JSON_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Json {
    enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_OBJECT } kind;
    double number;             /* integers are exact below 2^53; 1 for true */
    char *text;                /* of a string, in UTF-8 */
    char *key;                 /* in an object */
    struct Json *first, *next; /* its first member; its neighbor in the list or object that it is in */
} Json;

static inline const Json *json_first(const Json *json) { return json ? json->first : NULL; }
static inline const char *json_text(const Json *json) { return json && json->text ? json->text : ""; }
static inline double json_number(const Json *json) { return json ? json->number : 0; }

static inline int json_int(const Json *json) {
    double number = json_number(json);
    return number > -1e9 && number < 1e9 ? (int)number : 0;
}

static inline const Json *json_at(const Json *list, int index) {
    const Json *member = json_first(list);
    while (member && index-- > 0) member = member->next;
    return member;
}

static inline const Json *json_get(const Json *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    const Json *member = object->first;
    while (member && strcmp(member->key, key) != 0) member = member->next;
    return member;
}

static inline bool json_is(const Json *object, const char *key, const char *text) {
    return strcmp(json_text(json_get(object, key)), text) == 0;
}

static inline void json_free(Json *json) {
    while (json) {
        Json *next = json->next;
        json_free(json->first);
        free(json->text);
        free(json->key);
        free(json);
        json = next;
    }
}

static inline void *json_new(size_t size) {
    void *memory = calloc(1, size);
    if (memory) return memory;
    fputs("out of memory\n", stderr);
    exit(1);
}

static inline const char *json_skip(const char *at) { return at + strspn(at, " \t\r\n"); }

/* The code in four hexadecimal digits, or -1. */
static inline long json_hex(const char *at) {
    char digits[5] = "";
    strncat(digits, at, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* Writes a character in UTF-8 and returns what is behind it. */
static inline char *json_utf8(char *to, long code) {
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; /* bytes after the first */
    int ones = more ? 0xFF00 >> (more + 1) & 0xFF : 0;                      /* that tell how many they are */
    *to++ = (char)(ones | code >> 6 * more);
    while (more--) *to++ = (char)(0x80 | (code >> 6 * more & 0x3F));
    return to;
}

/* Decodes what follows a backslash and returns what is behind it, or NULL. */
static inline const char *json_escape(const char *at, char **to) {
    const char *names = "\"\\/bfnrt", *codes = "\"\\/\b\f\n\r\t", *name = strchr(names, *at);
    long code = *at == 'u' ? json_hex(at + 1) : -1, low;
    if (name) *(*to)++ = codes[name - names];
    if (name) return at + 1;
    if (code < 0) return NULL;
    at += 5;
    if (code >> 10 == 0x36 && at[0] == '\\' && at[1] == 'u' && (low = json_hex(at + 2)) >> 10 == 0x37) {
        code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
        at += 6;
    }
    if (code == 0 || code >> 11 == 0x1B) code = 0xFFFD; /* the end of a C string, or half a pair */
    *to = json_utf8(*to, code);
    return at;
}

/* Each reader below moves `at` behind what it has read. NULL or false: that was no JSON. */
static inline char *json_read_string(const char **at) {
    const char *from = *at, *end = from;
    if (*from++ != '"') return NULL;
    while (*++end != '"')
        if ((unsigned char)*end < ' ' || (*end == '\\' && *++end == '\0')) return NULL;
    char *text = json_new((size_t)(end - *at)), *to = text; /* decoded it is never longer */
    while (from && from < end)
        if (*from == '\\') from = json_escape(from + 1, &to);
        else *to++ = *from++;
    *at = end + 1;
    if (!from) free(text);
    return from ? text : NULL;
}

static inline Json *json_read(const char **at, int depth);

static inline bool json_read_members(const char **at, Json *into, int depth) {
    char close = into->kind == JSON_OBJECT ? '}' : ']';
    *at = json_skip(*at + 1);
    if (**at == close) return ++*at;
    for (Json **last = &into->first;; last = &(*last)->next) {
        char *key = into->kind == JSON_OBJECT ? json_read_string(at) : NULL;
        if (into->kind == JSON_OBJECT) *at = json_skip(*at);
        bool sound = into->kind == JSON_LIST || (key && *(*at)++ == ':');
        if (!sound || !(*last = json_read(at, depth))) return free(key), false;
        (*last)->key = key;
        *at = json_skip(*at);
        if (**at != ',') return *(*at)++ == close;
        *at = json_skip(*at + 1);
    }
}

static inline bool json_read_word(const char **at, const char *word) {
    bool same = strncmp(*at, word, strlen(word)) == 0;
    if (same) *at += strlen(word);
    return same;
}

static inline Json *json_read(const char **at, int depth) {
    Json *json = json_new(sizeof *json);
    *at = json_skip(*at);
    size_t digits = strspn(*at, "+-.0123456789eE");
    bool sound = depth < 100; /* no deeper, or a hostile line could overflow the stack */
    if (**at == '{' || **at == '[') {
        json->kind = **at == '{' ? JSON_OBJECT : JSON_LIST;
        sound = sound && json_read_members(at, json, depth + 1);
    } else if (**at == '"') {
        json->kind = JSON_STRING;
        sound = (json->text = json_read_string(at));
    } else if (digits > 0 && **at != '+' && **at != '.') {
        char *end;
        json->kind = JSON_NUMBER;
        json->number = strtod(*at, &end);
        sound = end == *at + digits;
        *at = end;
    } else if (!json_read_word(at, "null")) {
        json->kind = JSON_BOOL;
        json->number = json_read_word(at, "true");
        sound = json->number != 0 || json_read_word(at, "false");
    }
    if (!sound) json_free(json);
    return sound ? json : NULL;
}

/* The value that is all of the text, to be released with json_free, or NULL if it is no JSON. */
static inline Json *json_parse(const char *text) {
    Json *json = json_read(&text, 0);
    if (json && *json_skip(text) == '\0') return json;
    json_free(json);
    return NULL;
}
#endif
