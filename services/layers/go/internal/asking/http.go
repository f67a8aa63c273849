// Package asking is a layer's side towards the next one: over HTTP with JSON, or over gRPC.
package asking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"wiregauge/services/layers/go/internal/users"
)

// overHTTP calls over HTTP/1.1 and keeps connections for the next requests.
type overHTTP struct {
	client *http.Client
	base   string
}

// OverHTTP returns the layer at an address such as http://127.0.0.1:8081. It keeps up to that many idle connections.
func OverHTTP(base string, idle int) users.Source {
	return overHTTP{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: idle}}, base: base + "/api/v1/users"}
}

func (next overHTTP) Get(ctx context.Context, id string) (users.User, error) {
	return read[users.User](ctx, next.client, next.base+"/"+url.PathEscape(id))
}

func (next overHTTP) List(ctx context.Context, page, size int) (users.List, error) {
	query := url.Values{"page": {strconv.Itoa(page)}, "page_size": {strconv.Itoa(size)}}
	return read[users.List](ctx, next.client, next.base+"?"+query.Encode())
}

func read[Answer any](ctx context.Context, client *http.Client, from string) (Answer, error) {
	var read Answer
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return read, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return read, err
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return read, err
	}
	if answer.StatusCode == http.StatusOK {
		return read, json.Unmarshal(text, &read)
	}
	for kind, status := range users.HTTPStatus {
		if answer.StatusCode == status {
			var refused users.Refused
			err := json.Unmarshal(text, &refused)
			return read, errors.Join(err, users.Refusal{Kind: kind, Text: refused.Error})
		}
	}
	return read, fmt.Errorf("%s answered %s", from, answer.Status)
}
