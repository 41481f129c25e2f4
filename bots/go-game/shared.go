package main

// The board and the moves, for the game and its bots.

type board []string // a text for each row

type move struct {
	Row    int `json:"row"`
	Column int `json:"column"`
}

// has returns true for a cell of the board.
func (b board) has(at move) bool {
	return at.Row >= 0 && at.Row < len(b) && at.Column >= 0 && at.Column < len(b)
}

// longest returns the length of the longest line that a stone in this cell is part of.
func (b board) longest(at move, stone byte) int {
	most := 0
	for _, by := range []move{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
		length := 1
		for _, way := range []int{1, -1} {
			next := move{at.Row + way*by.Row, at.Column + way*by.Column}
			for b.has(next) && b[next.Row][next.Column] == stone {
				length++
				next = move{next.Row + way*by.Row, next.Column + way*by.Column}
			}
		}
		if length > most {
			most = length
		}
	}
	return most
}

// A message has the fields that the bots look at.
type message struct {
	Type     string
	ID, Seed int64
	State    sight
}

// A sight is the observation of a seat.
type sight struct {
	Board  board
	You    string
	Length int
	Legal  []move
}
