// Package products has the answer of every way: three products, the same at each start.
package products

import (
	"encoding/json"

	"wiregauge/services/lib/pb/productsv1"
)

// Subject is that of requests for products over NATS; Jobs is that of a worker's jobs.
const (
	Subject = "products"
	Jobs    = "jobs"
)

// Product is one product, with its fields in the order of the contract.
type Product struct {
	ID    int32  `json:"id"`
	Name  string `json:"name"`
	About string `json:"about"`
	Cents int32  `json:"cents"`
}

// List is an answer.
type List struct {
	Products []Product `json:"products"`
}

// All is the answer of api01: 257 bytes of JSON, which are 366 bytes with the headers of HTTP/1.1, as in the study. It is converted to JSON
// or a message for each request, since that is a part of the cost of a hop.
var All = List{Products: []Product{
	{ID: 1, Name: "Kettle", About: "Boils one liter in three minutes", Cents: 3490},
	{ID: 2, Name: "Toaster", About: "Two slices, a tray for crumbs", Cents: 2790},
	{ID: 3, Name: "Scale", About: "Weighs up to five kilos by the gram", Cents: 1850},
}}

// JSON writes a list.
func (list List) JSON() ([]byte, error) { return json.Marshal(list) }

// FromJSON reads a list.
func FromJSON(text []byte) (List, error) {
	var list List
	err := json.Unmarshal(text, &list)
	return list, err
}

// Message returns a list as a gRPC answer.
func (list List) Message() *productsv1.ListProductsResponse {
	made := make([]*productsv1.Product, len(list.Products))
	for index, one := range list.Products {
		made[index] = &productsv1.Product{Id: one.ID, Name: one.Name, About: one.About, Cents: one.Cents}
	}
	return &productsv1.ListProductsResponse{Products: made}
}

// FromMessage reads a gRPC answer.
func FromMessage(answer *productsv1.ListProductsResponse) List {
	read := make([]Product, len(answer.GetProducts()))
	for index, one := range answer.GetProducts() {
		read[index] = Product{ID: one.GetId(), Name: one.GetName(), About: one.GetAbout(), Cents: one.GetCents()}
	}
	return List{Products: read}
}
