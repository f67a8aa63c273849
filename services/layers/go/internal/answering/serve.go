package answering

import (
	"context"
	"net"
	"net/http"

	"wiregauge/services/layers/go/internal/users"
	"wiregauge/services/lib/program"
)

// Places has the listeners of a layer.
type Places struct{ HTTP, GRPC net.Listener }

// Serve answers at both of them until the context is done.
func Serve(ctx context.Context, at Places, source users.Source) error {
	figures := newFigures()
	return program.All(ctx,
		func(ctx context.Context) error {
			return program.ServeHTTP(ctx, figures.counted(at.HTTP, "http"), &http.Server{Handler: handler(source, figures)})
		},
		func(ctx context.Context) error {
			return program.ServeGRPC(ctx, figures.counted(at.GRPC, "grpc"), server(source, figures))
		},
	)
}
