// Package protobufform has objects as messages of the contract.
package protobufform

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"wiregauge/services/lib/pb/payloadv1"
	"wiregauge/services/payload/go/internal/answers"
	"wiregauge/services/payload/go/internal/objects"
)

// Cache holds messages.
type Cache []*payloadv1.Object

// New fills a cache with this many objects.
func New(most int) Cache {
	cache := make(Cache, most)
	for index := range cache {
		cache[index] = Of(objects.Make(index + 1))
	}
	return cache
}

// Answer returns the first objects of the cache.
func (c Cache) Answer(count int) *payloadv1.GetObjectsResponse {
	return &payloadv1.GetObjectsResponse{Objects: c[:count]}
}

// Form has answers as bytes.
func (c Cache) Form() answers.Form {
	return answers.Form{
		ContentType: "application/x-protobuf",
		Encode:      func(count int) ([]byte, error) { return proto.Marshal(c.Answer(count)) },
	}
}

// Of returns an object as a message.
func Of(made objects.Object) *payloadv1.Object {
	parts := make([]*payloadv1.Part, len(made.Parts))
	for index, one := range made.Parts {
		parts[index] = &payloadv1.Part{Number: one.Number, Name: one.Name, Quantity: one.Quantity, Price: one.Price}
	}
	measurements := make([]*payloadv1.Measurement, len(made.Measurements))
	for index, one := range made.Measurements {
		measurements[index] = &payloadv1.Measurement{
			Quantity: payloadv1.Quantity(one.Quantity),
			Value:    one.Value,
			Samples:  one.Samples,
			Quality:  payloadv1.Quality(one.Quality),
			Taken:    timeOf(one.Taken),
		}
	}
	return &payloadv1.Object{
		Id:           made.ID,
		Name:         made.Name,
		Description:  made.Description,
		Status:       payloadv1.Status(made.Status),
		Created:      timeOf(made.Created),
		Updated:      timeOf(made.Updated),
		Tags:         made.Tags,
		Attributes:   made.Attributes,
		Owner:        ownerOf(made.Owner),
		Parts:        parts,
		Measurements: measurements,
		Ratings:      made.Ratings,
	}
}

func ownerOf(made objects.Owner) *payloadv1.Owner {
	return &payloadv1.Owner{
		Name:     made.Name,
		Email:    made.Email,
		Verified: made.Verified,
		Address: &payloadv1.Address{
			Street:    made.Address.Street,
			Postcode:  made.Address.Postcode,
			City:      made.Address.City,
			Country:   made.Address.Country,
			Latitude:  made.Address.Latitude,
			Longitude: made.Address.Longitude,
		},
	}
}

func timeOf(seconds int64) *timestamppb.Timestamp { return &timestamppb.Timestamp{Seconds: seconds} }
