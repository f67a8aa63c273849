package games

import (
	"bytes"
	"encoding/json"
	"slices"
)

// writtenGame is a game in JSON: missing and null fields are nil.
type writtenGame struct {
	ID          *int32          `json:"id"`
	Title       *string         `json:"title"`
	Developer   *string         `json:"developer"`
	Publisher   *string         `json:"publisher"`
	ReleaseDate *string         `json:"release_date"`
	PriceCents  *int32          `json:"price_cents"`
	Genres      []*string       `json:"genres"`
	Tags        []*string       `json:"tags"`
	Platforms   []*string       `json:"platforms"`
	Ratings     *writtenRatings `json:"ratings"`
	Description *string         `json:"description"`
}

type writtenRatings struct {
	Positive *int32 `json:"positive"`
	Negative *int32 `json:"negative"`
}

// ParseGame parses a JSON game with exactly its keys and values of their types.
func ParseGame(raw json.RawMessage) (Game, error) {
	var written writtenGame
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&written); err != nil {
		return Game{}, Invalid("This is not a game: %v.", err)
	}
	if !written.isWhole() {
		return Game{}, Invalid("A game is an object with all keys of a game, none of them null.")
	}
	return written.game(), CheckID(*written.ID)
}

func (w writtenGame) isWhole() bool {
	texts := slices.Concat(w.Genres, w.Tags, w.Platforms, []*string{w.Title, w.Developer, w.Publisher, w.ReleaseDate, w.Description})
	if slices.Contains(texts, nil) || w.Genres == nil || w.Tags == nil || w.Platforms == nil || w.Ratings == nil {
		return false
	}
	return !slices.Contains([]*int32{w.ID, w.PriceCents, w.Ratings.Positive, w.Ratings.Negative}, nil)
}

func (w writtenGame) game() Game {
	return Game{
		ID: *w.ID, Title: *w.Title, Developer: *w.Developer, Publisher: *w.Publisher, ReleaseDate: *w.ReleaseDate, PriceCents: *w.PriceCents,
		Genres: values(w.Genres), Tags: values(w.Tags), Platforms: values(w.Platforms),
		Ratings: Ratings{Positive: *w.Ratings.Positive, Negative: *w.Ratings.Negative}, Description: *w.Description,
	}
}

func values(pointers []*string) []string {
	found := make([]string, len(pointers))
	for at, pointer := range pointers {
		found[at] = *pointer
	}
	return found
}
