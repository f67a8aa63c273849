// Package jsonform has objects as JSON: JSON of protobuf (https://protobuf.dev/programming-guides/json/) with all fields, including
// those with the value false.
package jsonform

import (
	"time"

	"wiregauge/services/payload/go/internal/answers"
	"wiregauge/services/payload/go/internal/objects"
)

type answer struct {
	Objects []Object `json:"objects"`
}

// Object has its fields in the order of the contract.
type Object struct {
	ID           int32             `json:"id"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Status       string            `json:"status"`
	Created      string            `json:"created"`
	Updated      string            `json:"updated"`
	Tags         []string          `json:"tags"`
	Attributes   map[string]string `json:"attributes"`
	Owner        owner             `json:"owner"`
	Parts        []part            `json:"parts"`
	Measurements []measurement     `json:"measurements"`
	Ratings      []int32           `json:"ratings"`
}

type owner struct {
	Name     string  `json:"name"`
	Email    string  `json:"email"`
	Verified bool    `json:"verified"`
	Address  address `json:"address"`
}

type address struct {
	Street    string  `json:"street"`
	Postcode  string  `json:"postcode"`
	City      string  `json:"city"`
	Country   string  `json:"country"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type part struct {
	Number   int32  `json:"number"`
	Name     string `json:"name"`
	Quantity int32  `json:"quantity"`
	Price    int32  `json:"price"`
}

type measurement struct {
	Quantity string  `json:"quantity"`
	Value    float64 `json:"value"`
	Samples  int32   `json:"samples"`
	Quality  string  `json:"quality"`
	Taken    string  `json:"taken"`
}

// New fills a cache with this many objects, for a library that writes JSON.
func New(most int, marshal func(value any) ([]byte, error)) answers.Form {
	cache := make([]Object, most)
	for index := range cache {
		cache[index] = Of(objects.Make(index + 1))
	}
	return answers.Form{
		ContentType: "application/json",
		Encode:      func(count int) ([]byte, error) { return marshal(answer{Objects: cache[:count]}) },
	}
}

// Of returns an object in its JSON form.
func Of(made objects.Object) Object {
	parts := make([]part, len(made.Parts))
	for index, one := range made.Parts {
		parts[index] = part(one)
	}
	measurements := make([]measurement, len(made.Measurements))
	for index, one := range made.Measurements {
		measurements[index] = measurement{
			Quantity: objects.Quantities[one.Quantity],
			Value:    one.Value,
			Samples:  one.Samples,
			Quality:  objects.Qualities[one.Quality],
			Taken:    timeOf(one.Taken),
		}
	}
	return Object{
		ID:           made.ID,
		Name:         made.Name,
		Description:  made.Description,
		Status:       objects.Statuses[made.Status],
		Created:      timeOf(made.Created),
		Updated:      timeOf(made.Updated),
		Tags:         made.Tags,
		Attributes:   made.Attributes,
		Owner:        owner{Name: made.Owner.Name, Email: made.Owner.Email, Verified: made.Owner.Verified, Address: address(made.Owner.Address)},
		Parts:        parts,
		Measurements: measurements,
		Ratings:      made.Ratings,
	}
}

func timeOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }
