// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
)

// moves lists the moves that are looked at. All are legal; protocol.md tells of more.
func moves(start *Message, state *State) []Move {
	me, found := state.Players[start.Seat], []Move{}
	if start.Game == "doodle" {
		for _, card := range state.Offer {
			for _, cells := range placements(start.patch(card).Cells, me.Board) {
				found = append(found, Move{Card: card, Cells: cells})
			}
		}
		if state.Phase != "start" {
			found = append(found, Move{Pass: true})
		}
	} else if state.Phase == "leather" {
		for _, cells := range placements([]string{"X"}, me.Board) {
			found = append(found, Move{Leather: &cells[0]})
		}
	} else {
		for i, id := range state.Circle {
			if i < 3 && start.patch(id).Buttons <= me.Buttons {
				for _, cells := range placements(start.patch(id).Cells, me.Board) {
					found = append(found, Move{Buy: id, Cells: cells})
				}
			}
		}
		found = append(found, Move{Advance: true})
	}
	return found
}

// value tells how good a move is; the first of the best is played.
func value(start *Message, state *State, move Move) int {
	me := state.Players[start.Seat]
	switch {
	case move.Pass:
		return -1
	case move.Advance:
		return 0
	case move.Leather != nil:
		return contact(me.Board, []Cell{*move.Leather})
	case move.Card != "":
		return contact(me.Board, move.Cells)
	}
	patch, payments := start.patch(move.Buy), 0
	for _, space := range start.Track.Income {
		if space > me.Space {
			payments++
		}
	}
	worth := 2*len(move.Cells) + payments*patch.Income - patch.Buttons - patch.Time
	return 100*worth + contact(me.Board, move.Cells)
}

// contact counts the sides of the cells that touch the edge or a covered cell.
func contact(board []string, cells []Cell) int {
	sides := 0
	for _, cell := range cells {
		for _, step := range []Cell{{-1, 0}, {0, -1}, {0, 1}, {1, 0}} {
			if covered(board, cell[0]+step[0], cell[1]+step[1]) {
				sides++
			}
		}
	}
	return sides
}

func decide(start *Message, state *State) Move {
	found := moves(start, state)
	best, most := found[0], value(start, state, found[0])
	for _, move := range found[1:] {
		if worth := value(start, state, move); worth > most {
			best, most = move, worth
		}
	}
	return best
}

func main() {
	var start Message
	lines, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var message Message
		if err := lines.Decode(&message); err == io.EOF || message.Type == "quit" {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		switch message.Type { // "fault" and "end" want no answer
		case "hello":
			answers.Encode(map[string]any{"type": "hello", "protocol": 1, "name": "go"})
		case "start":
			start = message
			answers.Encode(map[string]any{"type": "ready"})
		case "turn":
			move := decide(&start, &message.State)
			answers.Encode(map[string]any{"type": "move", "id": message.ID, "move": move})
		}
	}
}
