package profiles

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Kind is the reason for an error: a status over HTTP, a code over gRPC.
type Kind struct {
	Status int
	Code   codes.Code
}

// All kinds. If several apply to one request, the one with the highest status is reported.
var (
	Invalid = Kind{http.StatusBadRequest, codes.InvalidArgument}
	Unknown = Kind{http.StatusNotFound, codes.NotFound}
	// Gone: a member does not answer, or answers unexpectedly.
	Gone = Kind{http.StatusBadGateway, codes.Unavailable}
	// Late: a member does not answer in time.
	Late = Kind{http.StatusGatewayTimeout, codes.DeadlineExceeded}
)

// KindOf returns the kind of a member's status or code; for any other one it is gone.
func KindOf(isMeant func(kind Kind) bool) Kind {
	for _, kind := range []Kind{Invalid, Unknown, Late} {
		if isMeant(kind) {
			return kind
		}
	}
	return Gone
}

// Failure is the reason that there is no answer.
type Failure struct {
	Kind
	Text string
}

func (failure Failure) Error() string { return failure.Text }

// GRPCStatus makes grpc-go answer with the code.
func (failure Failure) GRPCStatus() *status.Status { return status.New(failure.Code, failure.Text) }

// FailureOf converts an error to a Failure.
func FailureOf(err error) Failure {
	var failure Failure
	if errors.As(err, &failure) {
		return failure
	}
	return Failure{Gone, err.Error()}
}

// Refused replaces an answer over HTTP.
type Refused struct {
	Error string `json:"error"`
}

// ID reads the id of a user in a path.
func ID(text string) (int32, error) {
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != text {
		return 0, Failure{Invalid, "an id is a whole number from 1 on"}
	}
	return int32(id), nil
}

// Write answers a request over HTTP with a value, or with an error and no part of the value.
func Write(answer http.ResponseWriter, value any, err error) {
	code := http.StatusOK
	if err != nil {
		failure := FailureOf(err)
		code, value = failure.Status, Refused{failure.Text}
	}
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(answer, err.Error(), http.StatusInternalServerError)
		return
	}
	answer.Header().Set("Content-Type", "application/json")
	// Without it, net/http would send pieces above 2 KiB.
	answer.Header().Set("Content-Length", strconv.Itoa(len(text)))
	answer.WriteHeader(code)
	_, _ = answer.Write(text)
}
