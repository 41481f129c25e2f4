// A bot for five in a row: it completes its line, or blocks a line, or goes to the centre.
package main

import (
	"encoding/json"
	"os"
)

// distance grows with the distance from the centre of the board.
func distance(b board, at move) int {
	down, right := 2*at.Row-len(b)+1, 2*at.Column-len(b)+1
	return down*down + right*right
}

// decide returns the best move by a few simple rules. Write your strategy here.
func decide(now sight) move {
	order := "xo" // its own stone first
	if now.You == "o" {
		order = "ox"
	}
	for i := range order {
		for _, at := range now.Legal {
			if now.Board.longest(at, order[i]) >= now.Length {
				return at
			}
		}
	}
	best := now.Legal[0]
	for _, at := range now.Legal {
		if distance(now.Board, at) < distance(now.Board, best) {
			best = at
		}
	}
	return best
}

func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for got := (message{}); input.Decode(&got) == nil; got = (message{}) {
		switch got.Type { // no other message needs an answer
		case "hello":
			output.Encode(map[string]any{"type": "hello", "protocol": 1, "name": "strong"})
		case "start":
			output.Encode(map[string]any{"type": "ready"})
		case "turn":
			output.Encode(map[string]any{"type": "move", "id": got.ID, "move": decide(got.State)})
		}
	}
}
