/* A bot for both games: it lays patches where they touch most. Write your strategy into `value`. */
#include "json.h"

/* Cells as bits, ten to a row with a frame around the board, so that none wraps. Earlier cells are larger
   numbers: >> 1 moves cells to the right, >> 10 moves them down. */
typedef unsigned __int128 Cells;
typedef struct { const char *kind; const Json *patch; Cells cells; long value; } Move;

static Json *start;
static const Json *state, *me; /* the state of this turn, and the player whose seat this bot has */
static Cells board, empty;     /* all cells of the board, and those of them that are not covered */
static Move best;              /* of those that were considered */
//static unsigned short chance[3]; // takes 48 bits of the seed; uncomment what you use, here and below

static Cells cell(int r, int c) { return (Cells)1 << (110 - 10 * r - c); }
static int count(Cells cells) { return __builtin_popcountll(cells) + __builtin_popcountll(cells >> 64); }

/* The cells with this mark in lines of text. */
static Cells marked(const Json *lines, char mark) {
    Cells cells = 0;
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < 9 && json_text(json_at(lines, r))[c]; c++)
            if (json_text(json_at(lines, r))[c] == mark) cells |= cell(r, c);
    return cells;
}

/* How many sides of the cells touch the edge or a covered cell. */
static int contact(Cells cells) {
    return count(cells << 1 & ~empty) + count(cells >> 1 & ~empty) + count(cells << 10 & ~empty)
        + count(cells >> 10 & ~empty);
}

/* How good a move is; the first of the best is played. */
static long value(const Move *move) {
    if (!move->cells) return strcmp(move->kind, "pass") == 0 ? -1 : 0; /* or "advance" */
    if (strcmp(move->kind, "buy") != 0) return contact(move->cells);
    long worth = 2L * count(move->cells) - json_int(move->patch, "buttons") - json_int(move->patch, "time");
    const Json *space = json_at(json_get(json_get(start, "track"), "income"), 0);
    for (; space; space = space->next) /* the payments to come */
        if (space->number > json_int(me, "space")) worth += json_int(move->patch, "income");
    return 100 * worth + contact(move->cells);
}

static void consider(Move move) {
    move.value = value(&move);
    if (!best.kind || move.value > best.value) best = move;
}

/* The rotations and flips of a shape, each moved to the top left corner, in order. */
static void orientations(Cells cells, Cells found[8]) {
    for (int i = -1, k; i < 8; i++) { /* the first turn only brings the shape to the corner */
        Cells turned = 0;
        for (int r = 0; r < 9; r++)
            for (int c = 0; c < 9; c++) /* a turn and a flip bring the top row to the left */
                if (cells & cell(r, c)) turned |= i == 4 ? cell(c, r) : cell(8 - c, r);
        while (turned && !(turned >> 102)) turned <<= 10; /* up to the top */
        cells = turned;
        for (k = i < 0 ? 0 : i; k > 0 && found[k - 1] < cells; k--) found[k] = found[k - 1];
        found[k] = cells;
    }
}

/* Considers every way to lay the shape on empty cells. */
static void placements(const char *kind, const Json *patch, Cells shape) {
    Cells found[8];
    orientations(shape, found);
    for (int i = 0; i < 8; i++)
        for (Cells row = found[i]; row && !(row & ~board) && (i == 0 || found[i] != found[i - 1]); row >>= 10)
            for (Cells cells = row; !(cells & ~board); cells >>= 1)
                if (!(cells & ~empty)) consider((Move){.kind = kind, .patch = patch, .cells = cells});
}

/* Considers the moves that are looked at. All are legal; protocol.md tells of more. */
static void moves(void) {
    bool doodle = json_is(start, "game", "doodle"), leather = json_is(state, "phase", "leather");
    if (leather) placements("leather", NULL, cell(0, 0));
    const Json *id = json_at(json_get(state, doodle ? "offer" : "circle"), 0);
    for (int i = 0; i < 3 && id && !leather; i++, id = id->next) {
        const Json *patch = json_find(start, "id", json_text(id));
        if (doodle || json_int(patch, "buttons") <= json_int(me, "buttons"))
            placements(doodle ? "card" : "buy", patch, marked(json_get(patch, "cells"), 'X'));
    }
    if (!leather && !json_is(state, "phase", "start")) consider((Move){.kind = doodle ? "pass" : "advance"});
}

static Move decide(void) {
    me = json_at(json_get(state, "players"), json_int(start, "seat"));
    empty = marked(json_get(me, "board"), '.');
    board = empty | marked(json_get(me, "board"), '#');
    best.kind = NULL;
    moves();
    return best;
}

static void answer(const Json *turn) {
    state = json_get(turn, "state");
    Move move = decide();
    printf("{\"type\":\"move\",\"id\":%.0f,\"move\":{\"%s\":", json_number(turn, "id"), move.kind);
    if (!move.cells) printf("true");
    if (move.patch) printf("\"%s\",\"cells\":[", json_text(json_get(move.patch, "id")));
    for (int i = 0, printed = 0; i < 81; i++)
        if (move.cells & cell(i / 9, i % 9)) printf("%s[%d,%d]", printed++ ? "," : "", i / 9, i % 9);
    fputs(move.patch ? "]}" : "}", stdout);
    /* The time to search in this turn, and numbers for the record: */
    //const Json *limits = json_get(start, "limits");
    //long long ms = json_int(turn, "time_ms"), share = ms / 20 + json_int(limits, "increment_ms");
    //long long budget_ms = json_int(limits, "match_ms") && share < ms * 9 / 10 ? share : ms * 9 / 10;
    //printf(",\"data\":{\"seed\":%lld,\"budget_ms\":%lld", json_int(start, "seed"), budget_ms);
    //printf(",\"chance\":%.17g}", erand48(chance)); // erand48: the next number from 0 to below 1
    puts("}");
}

int main(void) {
    static char *line;
    size_t size = 0;
    for (bool quit = false; !quit && getline(&line, &size, stdin) > 0;) {
        Json *message = json_parse(line);
        quit = json_is(message, "type", "quit"); /* "fault" and "end" want no answer */
        if (json_is(message, "type", "hello")) puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c\"}");
        if (json_is(message, "type", "start")) {
            free(start), start = message;
            //for (int i = 0; i < 3; i++) chance[i] = json_int(start, "seed") >> 16 * i;
            puts("{\"type\":\"ready\"}");
        }
        if (json_is(message, "type", "turn")) answer(message);
        fflush(stdout);
        if (message != start) free(message);
    }
}
