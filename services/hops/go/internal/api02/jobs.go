package api02

import (
	"context"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"

	"wiregauge/services/hops/go/internal/products"
	"wiregauge/services/hops/go/internal/serving"
)

// lagLimit is the time limit of a job, including the wait for its turn.
const lagLimit = 30 * time.Second

// sending adds a job to the queue, and answers at once.
func sending(queue *nats.Conn) http.HandlerFunc {
	return func(answer http.ResponseWriter, _ *http.Request) {
		if err := queue.Publish(products.Jobs, nil); err != nil {
			http.Error(answer, err.Error(), http.StatusBadGateway)
			return
		}
		answer.Header().Set("Content-Type", "application/json")
		answer.WriteHeader(http.StatusAccepted)
		_, _ = answer.Write([]byte(`{"accepted":true}`))
	}
}

// lag adds a job to the queue like any other, and answers when a worker has done it.
func lag(queue *nats.Conn) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		ctx, cancel := context.WithTimeout(request.Context(), lagLimit)
		defer cancel()
		message, err := queue.RequestWithContext(ctx, products.Jobs, nil)
		if err != nil {
			http.Error(answer, err.Error(), http.StatusBadGateway)
			return
		}
		serving.WriteJSON(answer, message.Data, nil)
	}
}
