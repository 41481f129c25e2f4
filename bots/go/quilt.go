package main

import "sort"

// Cell is a row and a column, both 0 to 8.
type Cell [2]int

// Patch is a card of doodle or a patch of patchwork.
type Patch struct {
	ID                    string
	Cells                 []string
	Buttons, Time, Income int
}

// Message is any message of the arena; a field that it does not have is zero.
type Message struct {
	Type    string
	Game    string
	Seat    int
	Cards   struct{ Starts, Patches []Patch }
	Patches []Patch
	Track   struct{ Income []int }
	ID      int64
	State   State
}

// State is that of both games.
type State struct {
	Phase         string
	Offer, Circle []string
	Players       []struct {
		Board          []string // 9 strings of 9 characters: '#' covered, '.' empty
		Buttons, Space int
	}
}

// Move has the fields of its kind only.
type Move struct {
	Card    string `json:"card,omitempty"`
	Buy     string `json:"buy,omitempty"`
	Cells   []Cell `json:"cells,omitempty"`
	Leather *Cell  `json:"leather,omitempty"`
	Pass    bool   `json:"pass,omitempty"`
	Advance bool   `json:"advance,omitempty"`
}

// patch finds a card or patch by its id.
func (start *Message) patch(id string) Patch {
	for _, list := range [][]Patch{start.Cards.Starts, start.Cards.Patches, start.Patches} {
		for _, patch := range list {
			if patch.ID == id {
				return patch
			}
		}
	}
	panic("no patch " + id)
}

// before tells whether a comes first in the order of rows, then columns.
func before(a, b []Cell) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i][0] < b[i][0] || a[i][0] == b[i][0] && a[i][1] < b[i][1]
		}
	}
	return false
}

// corner moves cells to the top left corner and sorts them.
func corner(cells []Cell) []Cell {
	top, left := 9, 9
	for _, cell := range cells {
		if cell[0] < top {
			top = cell[0]
		}
		if cell[1] < left {
			left = cell[1]
		}
	}
	moved := make([]Cell, len(cells))
	for i, cell := range cells {
		moved[i] = Cell{cell[0] - top, cell[1] - left}
	}
	sort.Slice(moved, func(i, j int) bool { return before(moved[i:i+1], moved[j:j+1]) })
	return moved
}

// orientations lists the distinct rotations and flips of a shape, each in the top left corner.
func orientations(shape []string) [][]Cell {
	cells, all, found := []Cell{}, [][]Cell{}, [][]Cell{}
	for r, row := range shape {
		for c, mark := range row {
			if mark == 'X' {
				cells = append(cells, Cell{r, c})
			}
		}
	}
	for i := 0; i < 8; i++ {
		for k, cell := range cells {
			if i == 4 {
				cells[k] = Cell{cell[0], -cell[1]}
			} else {
				cells[k] = Cell{cell[1], -cell[0]}
			}
		}
		all = append(all, corner(cells))
	}
	sort.Slice(all, func(i, j int) bool { return before(all[i], all[j]) })
	for i, cells := range all {
		if i == 0 || before(all[i-1], cells) {
			found = append(found, cells)
		}
	}
	return found
}

// covered tells whether a cell is covered or beyond the edge.
func covered(board []string, r, c int) bool {
	return r < 0 || r > 8 || c < 0 || c > 8 || board[r][c] == '#'
}

// placements lists every way to lay the shape on empty cells.
func placements(shape []string, board []string) [][]Cell {
	found := [][]Cell{}
	for _, cells := range orientations(shape) {
		for corner := 0; corner < 81; corner++ {
			spot, free := []Cell{}, true
			for _, cell := range cells {
				r, c := cell[0]+corner/9, cell[1]+corner%9
				spot, free = append(spot, Cell{r, c}), free && !covered(board, r, c)
			}
			if free {
				found = append(found, spot)
			}
		}
	}
	return found
}
