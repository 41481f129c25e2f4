// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
package main

import (
	"encoding/json"
	"fmt"
	//"math/rand"
	"os"
	"sort"
)

type cell [2]int // row and column

// value says how good it is to lay a patch on a spot; to advance is worth 0, to pass less.
func value(start message, now state, laid patch, spot []cell) int {
	me, touching, payments := now.Players[start.Seat], 0, 0
	for _, at := range spot { // how many sides touch the edge or a covered cell
		for _, by := range []cell{{-1, 0}, {0, -1}, {0, 1}, {1, 0}} {
			if !isEmpty(me.Board, at[0]+by[0], at[1]+by[1]) {
				touching++
			}
		}
	}
	if now.Phase != "turn" {
		return touching
	}
	for _, space := range start.Track.Income {
		if space > me.Space {
			payments++
		}
	}
	return 100*(2*len(spot)+payments*laid.Income-laid.Buttons-laid.Time) + touching
}

// decide plays the first of the best moves. All it looks at are legal; protocol.md tells of more.
func decide(start message, now state) any {
	me, known := now.Players[start.Seat], map[string]patch{"leather": {Cells: []string{"X"}}}
	for _, one := range append(append(start.Cards.Starts, start.Cards.Patches...), start.Patches...) {
		known[one.ID] = one
	}
	verb, offer, best, move := "card", now.Offer, -1, map[string]any{"pass": true}
	if now.Phase == "leather" {
		verb, offer = "leather", []string{"leather"}
	} else if start.Game == "patchwork" {
		verb, offer, best, move = "buy", now.Circle, 0, map[string]any{"advance": true}
	}
	for place, id := range offer {
		if laid := known[id]; place < 3 && laid.Buttons <= me.Buttons {
			for _, spot := range placements(laid.Cells, me.Board) {
				if worth := value(start, now, laid, spot); worth > best {
					best, move = worth, map[string]any{verb: id, "cells": spot}
				}
			}
		}
	}
	if verb == "leather" {
		return map[string]any{verb: move["cells"].([]cell)[0]}
	}
	return move
}

func isEmpty(board []string, row, col int) bool {
	return row >= 0 && row < 9 && col >= 0 && col < 9 && board[row][col] == '.'
}

// placements are all ways to lay a shape on empty cells, rotated and flipped as needed.
func placements(shape, board []string) (spots [][]cell) {
	turned, texts := map[string][]cell{}, []string{} // the orientations, and as texts for their order
	for turn := 0; turn < 8; turn++ {
		cells, left := []cell{}, 9
		for place := 0; place < 81; place++ {
			r, c := [2]int{place / 9, 8 - place/9}[turn&1], [2]int{place % 9, 8 - place%9}[turn>>1&1]
			if turn > 3 {
				r, c = c, r
			}
			if r < len(shape) && c < len(shape[r]) && shape[r][c] == 'X' {
				cells = append(cells, cell{place / 9, place % 9})
				if place%9 < left {
					left = place % 9
				}
			}
		}
		top := cells[0][0]
		for i, at := range cells {
			cells[i] = cell{at[0] - top, at[1] - left}
		}
		texts = append(texts, fmt.Sprint(cells))
		turned[texts[turn]] = cells
	}
	sort.Strings(texts)
	for _, text := range texts {
		for by := 0; by < 81; by++ {
			spot := []cell{}
			for _, at := range turned[text] {
				if isEmpty(board, at[0]+by/9, at[1]+by%9) {
					spot = append(spot, cell{at[0] + by/9, at[1] + by%9})
				}
			}
			if len(spot) == len(turned[text]) {
				spots = append(spots, spot)
			}
		}
	}
	return spots
}

func main() {
	input, output, start := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout), message{}
	//chance := rand.New(rand.NewSource(0)) // with the import; uncomment what you use
	for got := (message{}); input.Decode(&got) == nil && got.Type != "quit"; got = (message{}) {
		switch got.Type {
		case "hello":
			output.Encode(map[string]any{"type": "hello", "protocol": 1, "name": "go"})
		case "start":
			start = got
			//chance.Seed(start.Seed)
			output.Encode(map[string]any{"type": "ready"})
		case "turn":
			answer := map[string]any{"type": "move", "id": got.ID, "move": decide(start, got.State)}
			// The time to search in this turn, and numbers for the record:
			//budgetMS, share := got.TimeMS*9/10, got.TimeMS/20+start.Limits.IncrementMS
			//if start.Limits.MatchMS != nil && share < budgetMS { budgetMS = share }
			//answer["data"] = map[string]any{"seed": start.Seed, "budget_ms": budgetMS, "chance": chance.Float64()}
			output.Encode(answer)
		}
	}
}
