// Package games has what a game is, in the form that JSON has of it, and where games are kept.
package games

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Ratings are how often a game was liked, and how often not.
type Ratings struct {
	Positive int32 `json:"positive" bson:"positive"`
	Negative int32 `json:"negative" bson:"negative"`
}

// Game is a game of the store; its keys are the same over all protocols.
type Game struct {
	ID          int32    `json:"id" bson:"id"`
	Title       string   `json:"title" bson:"title"`
	Developer   string   `json:"developer" bson:"developer"`
	Publisher   string   `json:"publisher" bson:"publisher"`
	ReleaseDate string   `json:"release_date" bson:"release_date"`
	PriceCents  int32    `json:"price_cents" bson:"price_cents"`
	Genres      []string `json:"genres" bson:"genres"`
	Tags        []string `json:"tags" bson:"tags"`
	Platforms   []string `json:"platforms" bson:"platforms"`
	Ratings     Ratings  `json:"ratings" bson:"ratings"`
	Description string   `json:"description" bson:"description"`
}

// Kept names a game that was added or updated.
type Kept struct {
	ID    int32  `json:"id"`
	Title string `json:"title"`
}

// Deleted names a game that is not in the catalog any more.
type Deleted struct {
	ID int32 `json:"id"`
}

// What went wrong, by kind.
var (
	// ErrInvalid is of what is no game, or no id of one.
	ErrInvalid = errors.New("invalid")
	// ErrDatabase is of a database that did not answer, or refused.
	ErrDatabase = errors.New("database")
)

// failure is an error of a kind with a message of its own.
type failure struct {
	kind    error
	message string
}

func (f failure) Error() string { return f.message }
func (f failure) Unwrap() error { return f.kind }

// Invalid is an error of the kind ErrInvalid.
func Invalid(format string, values ...any) error {
	return failure{ErrInvalid, fmt.Sprintf(format, values...)}
}

//go:embed games.json
var catalog []byte

// Catalog are the games that every service holds, of the same file as those of the services in Python.
func Catalog() ([]Game, error) {
	var held struct{ Games []Game }
	err := json.Unmarshal(catalog, &held)
	return held.Games, err
}

// CheckID refuses what is not an id.
func CheckID(id int32) error {
	if id < 1 {
		return Invalid("A game's id is a whole number from 1 to %d.", math.MaxInt32)
	}
	return nil
}

// ParseID is an id in JSON.
func ParseID(raw json.RawMessage) (int32, error) {
	var id *int32
	if json.Unmarshal(raw, &id) != nil || id == nil {
		return 0, CheckID(0)
	}
	return *id, CheckID(*id)
}
