// Package games has the type of a game, in its JSON form, and the store of games.
package games

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Ratings are the numbers of likes and dislikes of a game.
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

// Deleted names a game that is no longer in the catalog.
type Deleted struct {
	ID int32 `json:"id"`
}

// Kinds of errors.
var (
	// ErrInvalid is for invalid games and ids.
	ErrInvalid = errors.New("invalid")
	// ErrDatabase is for a database that did not answer, or refused.
	ErrDatabase = errors.New("database")
)

// failure is an error of a kind with its own message.
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

// Catalog returns the games of every service, from the same file as those of the Python services.
func Catalog() ([]Game, error) {
	var held struct{ Games []Game }
	err := json.Unmarshal(catalog, &held)
	return held.Games, err
}

// CheckID refuses an invalid id.
func CheckID(id int32) error {
	if id < 1 {
		return Invalid("A game's id is a whole number from 1 to %d.", math.MaxInt32)
	}
	return nil
}

// ParseID parses an id in JSON.
func ParseID(raw json.RawMessage) (int32, error) {
	var id *int32
	if json.Unmarshal(raw, &id) != nil || id == nil {
		return 0, CheckID(0)
	}
	return *id, CheckID(*id)
}
