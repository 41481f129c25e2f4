// A bot for five in a row: it takes any legal move. Its seed decides which.
package main

import (
	"encoding/json"
	"math/rand"
	"os"
)

func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	chance := rand.New(rand.NewSource(0))
	for got := (message{}); input.Decode(&got) == nil; got = (message{}) {
		switch got.Type { // no other message needs an answer
		case "hello":
			output.Encode(map[string]any{"type": "hello", "protocol": 1, "name": "simple"})
		case "start":
			chance.Seed(got.Seed)
			output.Encode(map[string]any{"type": "ready"})
		case "turn":
			choice := got.State.Legal[chance.Intn(len(got.State.Legal))]
			output.Encode(map[string]any{"type": "move", "id": got.ID, "move": choice})
		}
	}
}
