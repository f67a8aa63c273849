package users

import (
	"net/http"

	"google.golang.org/grpc/codes"
)

// Kind is the reason that there is no answer.
type Kind int

// Kinds of refusals.
const (
	Unknown Kind = iota + 1
	Invalid
)

// HTTPStatus and GRPCCode represent each kind in the protocols; everything else is a failure of a layer.
var (
	HTTPStatus = map[Kind]int{Unknown: http.StatusNotFound, Invalid: http.StatusBadRequest}
	GRPCCode   = map[Kind]codes.Code{Unknown: codes.NotFound, Invalid: codes.InvalidArgument}
)

// Refusal is a request without an answer that is not a failure of a layer. Its text is the same at every layer.
type Refusal struct {
	Kind Kind
	Text string
}

func (refusal Refusal) Error() string { return refusal.Text }

// Refused is the JSON of a refusal.
type Refused struct {
	Error string `json:"error"`
}
