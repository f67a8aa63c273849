package users

import (
	"net/http"

	"google.golang.org/grpc/codes"
)

// Kind tells why there is no answer.
type Kind int

// Kinds of refusals.
const (
	Unknown Kind = iota + 1
	Invalid
)

// HTTPStatus and GRPCCode are how each kind goes over the wire; all else is a failure of a layer.
var (
	HTTPStatus = map[Kind]int{Unknown: http.StatusNotFound, Invalid: http.StatusBadRequest}
	GRPCCode   = map[Kind]codes.Code{Unknown: codes.NotFound, Invalid: codes.InvalidArgument}
)

// Refusal is a request without an answer that is no failure of a layer. It has the same words at every layer.
type Refusal struct {
	Kind Kind
	Text string
}

func (refusal Refusal) Error() string { return refusal.Text }

// Refused is the JSON of an answer that has none of what was asked for.
type Refused struct {
	Error string `json:"error"`
}
