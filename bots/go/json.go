package main

// The messages as encoding/json reads them: the fields that the bot looks at; protocol.md has the others.

type message struct {
	Type, Game string
	ID         int64
	Seed       int64
	TimeMS     int64 `json:"time_ms"`
	Limits     limits
	Seat       int
	Cards      struct{ Starts, Patches []patch }
	Patches    []patch
	Track      struct{ Income []int }
	State      state
}

type limits struct {
	MatchMS     *int64 `json:"match_ms"` // nil: no limit
	IncrementMS int64  `json:"increment_ms"`
}

type patch struct {
	ID                    string
	Cells                 []string
	Buttons, Time, Income int
}

type state struct {
	Phase         string
	Offer, Circle []string
	Players       []player
}

type player struct {
	Board          []string
	Buttons, Space int
}
