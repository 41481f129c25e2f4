/* A bot for both games: it lays patches where they touch most. Write your strategy into `value`. */
#define _POSIX_C_SOURCE 200809L
#include "quilt.h"
#include <limits.h>

typedef struct { enum { CARD, PASS, LEATHER, BUY, ADVANCE } kind; const Json *patch; Cells cells; } Move;
typedef struct { Move *list; size_t count; } Moves;

static void add(Moves *moves, Move move) {
    if (moves->count % 1000 == 0) moves->list = realloc(moves->list, (moves->count + 1000) * sizeof(Move));
    if (!moves->list) abort();
    moves->list[moves->count++] = move;
}

/* Adds the move with every way to lay the cells on empty cells. */
static void placements(Cells cells, const Json *board, Move move, Moves *moves) {
    Cells found[8];
    size_t count = orientations(cells, found);
    for (size_t i = 0; i < count * 81; i++) {
        Cell corner = {(unsigned char)(i / 9 % 9), (unsigned char)(i % 9)}; /* the top left one */
        int fitting = 0;
        for (move.cells = found[i / 81]; fitting < cells.count; fitting++) {
            Cell *cell = &move.cells.list[fitting];
            *cell = (Cell){cell->row + corner.row, cell->col + corner.col};
            if (covered(board, cell->row, cell->col)) break;
        }
        if (fitting == cells.count) add(moves, move);
    }
}

/* The moves that are looked at. All are legal; protocol.md tells of more. */
static void moves(const Json *start, const Json *state, Moves *list) {
    bool doodle = json_is(start, "game", "doodle");
    if (json_is(state, "phase", "leather")) {
        placements((Cells){.count = 1}, own(start, state, "board"), (Move){.kind = LEATHER}, list);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const Json *patch = find(start, json_at(json_get(state, doodle ? "offer" : "circle"), i));
        bool paid = json_int(json_get(patch, "buttons")) <= json_int(own(start, state, "buttons"));
        Move move = {.kind = doodle ? CARD : BUY, .patch = patch};
        if (patch && (doodle || paid)) placements(cells_of(patch), own(start, state, "board"), move, list);
    }
    if (!json_is(state, "phase", "start")) add(list, (Move){.kind = doodle ? PASS : ADVANCE});
}

/* How many sides of the cells touch the edge or a covered cell. */
static int contact(const Json *board, const Cells *cells) {
    int sides = 0;
    for (const Cell *cell = cells->list; cell < cells->list + cells->count; cell++)
        sides += covered(board, cell->row - 1, cell->col) + covered(board, cell->row, cell->col - 1)
            + covered(board, cell->row, cell->col + 1) + covered(board, cell->row + 1, cell->col);
    return sides;
}

/* How good a move is; the first of the best is played. */
static long value(const Json *start, const Json *state, const Move *move) {
    if (move->kind == PASS || move->kind == ADVANCE) return move->kind == PASS ? -1 : 0;
    long touching = contact(own(start, state, "board"), &move->cells), payments = 0;
    if (move->kind != BUY) return touching;
    const Json *mark = json_first(json_get(json_get(start, "track"), "income"));
    for (; mark; mark = mark->next) payments += json_int(mark) > json_int(own(start, state, "space"));
    long income = payments * json_int(json_get(move->patch, "income"));
    long price = (long)json_int(json_get(move->patch, "buttons")) + json_int(json_get(move->patch, "time"));
    return 100 * (2 * move->cells.count + income - price) + touching;
}

static Move decide(const Json *start, const Json *state) {
    Move best = {.kind = PASS};
    Moves list = {0};
    moves(start, state, &list);
    long most = LONG_MIN;
    for (size_t i = 0; i < list.count; i++) {
        long worth = value(start, state, &list.list[i]);
        if (worth > most) most = worth, best = list.list[i];
    }
    free(list.list);
    return best;
}

static void print_move(const Move *move) {
    const char *kind = move->kind == CARD ? "card" : "buy", *separator = "";
    const Cell *cell = move->cells.list;
    if (move->kind == PASS) printf("{\"pass\":true}");
    if (move->kind == ADVANCE) printf("{\"advance\":true}");
    if (move->kind == LEATHER) printf("{\"leather\":[%d,%d]}", cell->row, cell->col);
    if (move->kind != CARD && move->kind != BUY) return;
    printf("{\"%s\":\"%s\",\"cells\":[", kind, json_text(json_get(move->patch, "id")));
    for (; cell < move->cells.list + move->cells.count; cell++, separator = ",")
        printf("%s[%d,%d]", separator, cell->row, cell->col);
    printf("]}");
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    Json *start = NULL;
    for (bool going = true; going && getline(&line, &size, stdin) > 0;) {
        Json *message = json_parse(line);
        if (!message) fprintf(stderr, "no JSON: %s\n", line);
        going = message && !json_is(message, "type", "quit");
        if (json_is(message, "type", "hello")) {
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"c\"}");
        } else if (json_is(message, "type", "start")) {
            json_free(start);
            start = message, message = NULL; /* kept for the turns */
            puts("{\"type\":\"ready\"}");
        } else if (json_is(message, "type", "turn")) {
            Move move = decide(start, json_get(message, "state"));
            printf("{\"type\":\"move\",\"id\":%.0f,\"move\":", json_number(json_get(message, "id")));
            print_move(&move);
            puts("}");
        } /* "fault" and "end" want no answer */
        fflush(stdout);
        json_free(message);
    }
    json_free(start);
    free(line);
    return 0;
}
