/* What the messages say, and the ways to turn a shape. */
#ifndef QUILT_H
#define QUILT_H
#include "json.h"

typedef struct { unsigned char row, col; } Cell;    /* bytes, so that memcmp compares as it should */
typedef struct { Cell list[81]; int count; } Cells; /* zeros behind the last one */

/* A field of the player whose seat this bot has. */
static inline const Json *own(const Json *start, const Json *state, const char *field) {
    return json_get(json_at(json_get(state, "players"), json_int(json_get(start, "seat"))), field);
}

/* The card or patch with this id. */
static inline const Json *find(const Json *start, const Json *id) {
    const Json *cards = json_get(start, "cards"), *patch = NULL;
    const Json *lists[] = {json_get(cards, "starts"), json_get(cards, "patches"), json_get(start, "patches")};
    for (int i = 0; i < 3 && !patch; i++)
        for (patch = json_first(lists[i]); patch && !json_is(patch, "id", json_text(id));)
            patch = patch->next;
    return patch;
}

static inline Cells cells_of(const Json *patch) {
    Cells cells = {0};
    for (unsigned char r = 0; r < 9; r++)
        for (unsigned char c = 0; c < 9 && json_text(json_at(json_get(patch, "cells"), r))[c]; c++)
            if (json_text(json_at(json_get(patch, "cells"), r))[c] == 'X')
                cells.list[cells.count++] = (Cell){r, c};
    return cells;
}

static inline int by_place(const void *a, const void *b) { return memcmp(a, b, sizeof(Cell)); }
static inline int by_cells(const void *a, const void *b) { return memcmp(a, b, sizeof(Cell[81])); }

/* Turns the cells by 90 degrees, or flips them, and moves them to the top left corner. */
static inline Cells turn(Cells cells, bool flip) {
    Cell corner = {8, 8}, *end = cells.list + cells.count;
    for (Cell *cell = cells.list; cell < end; cell++) {
        *cell = flip ? (Cell){cell->row, 8 - cell->col} : (Cell){cell->col, 8 - cell->row};
        if (cell->row < corner.row) corner.row = cell->row;
        if (cell->col < corner.col) corner.col = cell->col;
    }
    for (Cell *cell = cells.list; cell < end; cell++) cell->row -= corner.row, cell->col -= corner.col;
    qsort(cells.list, (size_t)cells.count, sizeof(Cell), by_place);
    return cells;
}

/* The distinct rotations and flips of a shape; returns how many there are. */
static inline size_t orientations(Cells cells, Cells found[8]) {
    size_t count = 0, same;
    for (int i = 0; i < 8; i++) {
        cells = turn(cells, i == 4);
        for (same = 0; same < count && by_cells(&found[same], &cells) != 0;) same++;
        if (same == count) found[count++] = cells;
    }
    qsort(found, count, sizeof(Cells), by_cells);
    return count;
}

static inline bool covered(const Json *board, int row, int col) { /* so is everything beyond the edge */
    const char *text = json_text(row < 0 ? NULL : json_at(board, row));
    return col < 0 || col >= (int)strlen(text) || text[col] == '#';
}
#endif
