// Package objects makes the objects that every implementation answers with from their ids: no file, and the same in every language.
//
// Whole numbers only, and fractions with a quarter that binary numbers have exactly. services/payload/python draws the same bits.
package objects

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// 2025-01-01T00:00:00Z
	firstSecond = 1_735_689_600
	yearSeconds = 31_536_000
	hourSeconds = 3_600
)

// The names of the contract, in the order of its numbers.
var (
	Statuses   = []string{"STATUS_UNSPECIFIED", "STATUS_DRAFT", "STATUS_PUBLISHED", "STATUS_RETIRED"}
	Quantities = []string{"QUANTITY_UNSPECIFIED", "QUANTITY_TEMPERATURE", "QUANTITY_PRESSURE", "QUANTITY_HUMIDITY", "QUANTITY_VOLTAGE",
		"QUANTITY_WEIGHT"}
	Qualities = []string{"QUALITY_UNSPECIFIED", "QUALITY_GOOD", "QUALITY_FAIR", "QUALITY_POOR"}
)

// Object is an object without a form; times are seconds since 1970, Status is a number of the contract.
type Object struct {
	ID           int32
	Name         string
	Description  string
	Status       int32
	Created      int64
	Updated      int64
	Tags         []string
	Attributes   map[string]string
	Owner        Owner
	Parts        []Part
	Measurements []Measurement
	Ratings      []int32
}

// Owner is the owner of an object.
type Owner struct {
	Name     string
	Email    string
	Verified bool
	Address  Address
}

// Address is the address of an owner.
type Address struct {
	Street    string
	Postcode  string
	City      string
	Country   string
	Latitude  float64
	Longitude float64
}

// Part is a part of an object.
type Part struct {
	Number   int32
	Name     string
	Quantity int32
	Price    int32
}

// Measurement is a measurement of an object; Quantity and Quality are numbers of the contract.
type Measurement struct {
	Quantity int32
	Value    float64
	Samples  int32
	Quality  int32
	Taken    int64
}

// Make returns the object with an id, from 1.
func Make(id int) Object {
	d := &draws{state: uint64(id)}
	main, text, labels, ratings := d.next(), d.next(), d.next(), d.next()
	created := int64(firstSecond + main>>20%yearSeconds)
	return Object{
		ID:          int32(id),
		Name:        fmt.Sprintf("%s %s %d", drawn(adjectives, main), drawn(nouns, main>>4), id),
		Description: strings.Join(several(8, 8, func(shift int) string { return drawn(words, text>>shift) }), " "),
		Status:      1 + int32(main>>8%3),
		Created:     created,
		Updated:     created + 1 + int64(main>>50)*hourSeconds,
		Tags:        several(4, 4, func(shift int) string { return drawn(tags, labels>>shift) }),
		Attributes: map[string]string{
			"colour":   drawn(colours, labels>>16),
			"material": drawn(materials, labels>>19),
			"origin":   drawn(origins, labels>>22),
		},
		Owner:        makeOwner(id, d),
		Parts:        several(6, 1, func(index int) Part { return makePart(index+1, d.next()) }),
		Measurements: several(10, 1, func(index int) Measurement { return makeMeasurement(created+int64(index+1)*hourSeconds, d.next()) }),
		Ratings:      several(16, 4, func(shift int) int32 { return 1 + int32(ratings>>shift%5) }),
	}
}

func makeOwner(id int, d *draws) Owner {
	person, place := d.next(), d.next()
	name := drawn(names, person)
	return Owner{
		Name:     name + " " + drawn(surnames, person>>4),
		Email:    fmt.Sprintf("%s.%d@example.org", strings.ToLower(name), id),
		Verified: person>>6%2 == 1,
		Address: Address{
			Street:   fmt.Sprintf("%d %s", 1+person>>8%200, drawn(streets, person>>16)),
			Postcode: strconv.FormatUint(10_000+person>>20%90_000, 10),
			City:     drawn(cities, place>>16),
			Country:  drawn(countries, place>>16),
			// From -89.75 to 89.75 and from -179.75 to 179.75, never whole, so that every language writes the same digits.
			Latitude:  float64(int(place>>20%360)*2-359) / 4,
			Longitude: float64(int(place>>30%720)*2-719) / 4,
		},
	}
}

func makePart(number int, bits uint64) Part {
	return Part{
		Number:   int32(number),
		Name:     drawn(parts, bits),
		Quantity: 1 + int32(bits>>8%99),
		Price:    100 + int32(bits>>16%9_900),
	}
}

func makeMeasurement(hour int64, bits uint64) Measurement {
	return Measurement{
		Quantity: 1 + int32(bits%5),
		Value:    float64(bits>>8%5_000*2+1) / 4,
		Samples:  1 + int32(bits>>24%900),
		Quality:  1 + int32(bits>>40%3),
		Taken:    hour + int64(bits>>44%hourSeconds),
	}
}

// several makes a list, each entry from a number that begins at 0 and grows by a step.
func several[Entry any](count, step int, entry func(number int) Entry) []Entry {
	list := make([]Entry, count)
	for index := range list {
		list[index] = entry(index * step)
	}
	return list
}
