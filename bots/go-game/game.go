// Five in a row as a game for the arena: the first seat with five stones in a line wins.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

const stones = "xo" // of seat 0 and of seat 1

type object map[string]any

type state struct {
	Board  board   `json:"board"`
	Length int     `json:"length"`
	Turn   int     `json:"turn"`
	Last   *[2]int `json:"last"`
	Won    *int    `json:"won"`
}

// A question has the fields that the game looks at. The move stays JSON until refusal has read it.
type question struct {
	Type    string
	Seat    int
	Seed    int64
	Options struct{ Size, Length int }
	State   state
	Move    map[string]json.RawMessage
	Text    bool
}

func describe() object {
	colours := object{"x": "#2f5d8c", "o": "#b5482f", "#": "#555555"}
	return object{"name": "five-in-a-row", "version": "1", "seats": []int{2, 2},
		"supports": []string{"legal", "text", "seat-text", "play-text", "withdraw"},
		"options":  object{"size": 9, "length": 5},
		"board":    object{"cells": "square", "row": "row", "column": "column", "colours": colours}}
}

// deal blocks two cells by chance, so that bots without chance play each deal differently.
func deal(seed int64, size, length int) object {
	if length < 3 || length > size || size > 19 {
		log.Fatalf("size must be 3 to 19 and length 3 to size, not size %d and length %d", size, length)
	}
	now := state{Length: length}
	for row := 0; row < size; row++ {
		now.Board = append(now.Board, strings.Repeat(".", size))
	}
	for _, cell := range rand.New(rand.NewSource(seed)).Perm(size * size)[:2] {
		now.Board.put(move{cell / size, cell % size}, '#')
	}
	return object{"state": now}
}

// put writes a letter into a cell.
func (b board) put(at move, letter byte) {
	line := []byte(b[at.Row])
	line[at.Column] = letter
	b[at.Row] = string(line)
}

func legalMoves(now state) []move {
	moves := []move{}
	for row, line := range now.Board {
		for column, letter := range line {
			if letter == '.' {
				moves = append(moves, move{row, column})
			}
		}
	}
	return moves
}

// seen returns what each seat sees: the one whose turn it is, until the match is over.
func seen(now state) []any {
	sight := []any{nil, nil}
	if moves := legalMoves(now); now.Won == nil && len(moves) > 0 {
		you := string(stones[now.Turn])
		sight[now.Turn] = object{"board": now.Board, "you": you, "length": now.Length, "legal": moves}
	}
	return sight
}

// refusal reads a move and returns why it is illegal, or "". Go would also accept "ROW" as a name.
func refusal(b board, fields map[string]json.RawMessage) (at move, why string) {
	row, hasRow := fields["row"]
	column, hasColumn := fields["column"]
	text, _ := json.Marshal(fields)
	if len(fields) != 2 || !hasRow || !hasColumn {
		return at, fmt.Sprintf(`a move is {"row": 0, "column": 0} with your numbers, not %.100s`, text)
	}
	var noRow, noColumn error
	at.Row, noRow = strconv.Atoi(string(row))
	at.Column, noColumn = strconv.Atoi(string(column))
	if noRow != nil || noColumn != nil || !b.has(at) {
		return at, fmt.Sprintf("row and column must be integers from 0 to %d, not %.100s", len(b)-1, text)
	}
	if letter := b[at.Row][at.Column]; letter != '.' {
		why = fmt.Sprintf(`cell [%d,%d] has "%c"; take an empty cell: "."`, at.Row, at.Column, letter)
	}
	return at, why
}

func play(now state, seat int, fields map[string]json.RawMessage) object {
	at, why := refusal(now.Board, fields)
	if why != "" {
		return object{"refused": why}
	}
	if now.Board.longest(at, stones[seat]) >= now.Length {
		now.Won = &seat
	}
	now.Board.put(at, stones[seat])
	now.Turn, now.Last = 1-seat, &[2]int{at.Row, at.Column}
	return object{"state": now, "observations": seen(now)}
}

// withdraw ends the match: the other seat wins.
func withdraw(now state, seat int) object {
	other := 1 - seat
	now.Won = &other
	return object{"state": now, "observations": seen(now)}
}

func result(now state) object {
	scores := []int{0, 0}
	if now.Won != nil {
		scores[*now.Won] = 1
	}
	return object{"scores": scores}
}

// text returns the board as lines. All seats may see all of it, and play has put the stone there.
func text(now state) string {
	return strings.Join(now.Board, "\n")
}

func answer(q question) object {
	switch q.Type {
	case "describe":
		return describe()
	case "deal":
		return deal(q.Seed, q.Options.Size, q.Options.Length)
	case "observe":
		return object{"observations": seen(q.State)}
	case "play":
		answer := play(q.State, q.Seat, q.Move)
		if q.Text && answer["refused"] == nil {
			answer["text"] = text(q.State)
		}
		return answer
	case "withdraw":
		return withdraw(q.State, q.Seat)
	case "result":
		return result(q.State)
	case "legal":
		return object{"moves": legalMoves(q.State)}
	case "text":
		return object{"text": text(q.State)}
	}
	log.Fatalf("there is no question %q", q.Type)
	return nil
}

func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var q question // a fresh one, because Decode keeps fields that a line does not have
		if err := input.Decode(&q); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		output.Encode(answer(q))
	}
}
