/* Reads JSON into a tree. What is not there, or of another kind, is NULL and reads as "" or 0, so that
   json_text(json_get(json_get(message, "state"), "phase")) needs no checks. */
#ifndef JSON_H
#define JSON_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Json {
    char kind;                 /* its first character; digits and '-' mean a number */
    double number;             /* integers are exact below 2^53; 1 for true */
    char *text;                /* of a string, in UTF-8 */
    char *key;                 /* in an object */
    struct Json *first, *next; /* its first member; its neighbor in the list or object that it is in */
} Json;

static inline const char *json_text(const Json *json) { return json && json->text ? json->text : ""; }

static inline const Json *json_at(const Json *list, int index) {
    const Json *member = list ? list->first : NULL;
    while (member && index-- > 0) member = member->next;
    return member;
}

static inline const Json *json_get(const Json *object, const char *key) {
    const Json *member = object && object->kind == '{' ? object->first : NULL;
    while (member && strcmp(member->key, key) != 0) member = member->next;
    return member;
}

static inline double json_number(const Json *object, const char *key) {
    const Json *member = json_get(object, key);
    return member ? member->number : 0;
}

static inline long long json_int(const Json *object, const char *key) {
    double number = json_number(object, key);
    return number > -9.2e18 && number < 9.2e18 ? (long long)number : 0;
}

static inline bool json_is(const Json *object, const char *key, const char *text) {
    return strcmp(json_text(json_get(object, key)), text) == 0;
}

/* The first object in the whole tree that has this text under this key. */
static inline const Json *json_find(const Json *json, const char *key, const char *text) {
    if (!json || (json_get(json, key) && json_is(json, key, text))) return json;
    const Json *found = NULL;
    for (const Json *member = json->first; member && !found; member = member->next)
        found = json_find(member, key, text);
    return found;
}

static inline char *json_skip(char *at) { return at + strspn(at, " \t\r\n"); }

/* The code in four hexadecimal digits, or -1. */
static inline long json_hex(const char *at) {
    char digits[5] = "";
    strncat(digits, at, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* Decodes what follows a backslash, in UTF-8, and returns what is behind it, or NULL. */
static inline char *json_escape(char *at, char **to) {
    const char *names = "\"\\/bfnrt", *name = *at ? strchr(names, *at) : NULL;
    if (name) return *(*to)++ = "\"\\/\b\f\n\r\t"[name - names], at + 1;
    long code = *at == 'u' ? json_hex(at + 1) : -1, low;
    if (code < 0) return NULL;
    at += 5;
    if (code >> 10 == 0x36 && at[0] == '\\' && at[1] == 'u' && (low = json_hex(at + 2)) >> 10 == 0x37) {
        code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
        at += 6;
    }
    if (code == 0 || code >> 11 == 0x1B) code = 0xFFFD; /* the end of a C string, or half a pair */
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; /* bytes after the first */
    int ones = more ? 0xFF00 >> (more + 1) & 0xFF : 0;                      /* that tell how many they are */
    *(*to)++ = (char)(ones | code >> 6 * more);
    while (more--) *(*to)++ = (char)(0x80 | (code >> 6 * more & 0x3F));
    return at;
}

/* The readers move `at` behind what they have read. NULL: that was no JSON. Strings are decoded in place. */
static inline char *json_read_string(char **at) {
    char *text = *at + 1, *from = text, *to = text;
    if (**at != '"') return NULL;
    while (*from != '"') {
        if ((unsigned char)*from < ' ') return NULL;
        if (*from != '\\') *to++ = *from++;
        else if (!(from = json_escape(from + 1, &to))) return NULL;
    }
    *at = from + 1;
    *to = '\0';
    return text;
}

static inline Json *json_read(char **at, Json **free_node, int depth) {
    Json *json = (*free_node)++, **last = &json->first;
    *at = json_skip(*at);
    *json = (Json){.kind = **at};
    if (json->kind == '{' || json->kind == '[') {
        if (depth == 100) return NULL; /* or a hostile line could overflow the stack */
        for (*at = json_skip(*at + 1); **at != json->kind + 2; *at = json_skip(*at)) { /* '{' + 2 is '}' */
            if (json->first && *(*at)++ != ',') return NULL;
            *at = json_skip(*at);
            char *key = json->kind == '{' ? json_read_string(at) : NULL;
            if (json->kind == '{' && (!key || *(*at = json_skip(*at)) != ':')) return NULL;
            *at += json->kind == '{';
            if (!(*last = json_read(at, free_node, depth + 1))) return NULL;
            (*last)->key = key;
            last = &(*last)->next;
        }
        ++*at;
    } else if (json->kind == '"') {
        if (!(json->text = json_read_string(at))) return NULL;
    } else if (strchr("-0123456789", json->kind) && json->kind) {
        char *end = *at + strspn(*at, "+-.0123456789eE"), *behind;
        json->number = strtod(*at, &behind);
        if (behind != end) return NULL;
        *at = end;
    } else {
        const char *word = json->kind == 't' ? "true" : json->kind == 'f' ? "false" : "null";
        if (strncmp(*at, word, strlen(word)) != 0) return NULL;
        json->number = json->kind == 't';
        *at += strlen(word);
    }
    return json;
}

/* The value that is all of the text, one block to be released with free(). Without one the program ends. */
static inline Json *json_parse(const char *text) {
    size_t nodes = 1, length = strlen(text) + 1; /* every value but one follows one of these: */
    for (const char *at = text; *at; at++) nodes += *at == ',' || *at == '[' || *at == '{';
    Json *json = malloc(nodes * sizeof(Json) + length), *free_node = json;
    char *copy = json ? memcpy(json + nodes, text, length) : NULL;
    if (json && json_read(&copy, &free_node, 0) && *json_skip(copy) == '\0') return json;
    fprintf(stderr, "no JSON: %s\n", text);
    exit(1);
}
#endif
