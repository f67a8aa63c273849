// Package overgraphql answers queries of the games at /graphql.
package overgraphql

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"

	"wiregauge/services/games/go/internal/games"
)

//go:embed schema.graphql
var schema string

// Handler answers queries, and /health.
func Handler(database games.Database) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Type", "application/json")
		_, _ = writer.Write([]byte(`{"status":"ok"}`))
	})
	mux.Handle("POST /graphql", &relay.Handler{Schema: graphql.MustParseSchema(schema, &root{database}, graphql.UseFieldResolvers())})
	return mux
}

type root struct{ database games.Database }

// ofPublisher returns the games of a publisher, for a nested query.
type ofPublisher func(ctx context.Context, publisher string) ([]games.Game, error)

// game has the fields of a game, and resolvers for others.
type game struct {
	games.Game
	nested ofPublisher
}

// PublisherGames returns all games of its publisher, including this one.
func (g *game) PublisherGames(ctx context.Context) ([]*game, error) {
	found, err := g.nested(ctx, g.Publisher)
	return resolved(found, g.nested), err
}

func resolved(found []games.Game, nested ofPublisher) []*game {
	resolvers := make([]*game, len(found))
	for at, one := range found {
		resolvers[at] = &game{one, nested}
	}
	return resolvers
}

func (r *root) Game(ctx context.Context, arguments struct{ ID int32 }) (*game, error) {
	if err := games.CheckID(arguments.ID); err != nil {
		return nil, err
	}
	found, err := r.database.Get(ctx, arguments.ID)
	if found == nil || err != nil {
		return nil, err
	}
	return &game{*found, r.database.ByPublisher}, nil
}

func (r *root) Games(ctx context.Context, arguments struct{ Publisher *string }) ([]*game, error) {
	var found []games.Game
	var err error
	if arguments.Publisher == nil {
		found, err = r.database.List(ctx)
	} else {
		found, err = r.database.ByPublisher(ctx, *arguments.Publisher)
	}
	// A nested query needs nothing that is not already loaded.
	return resolved(found, func(_ context.Context, publisher string) ([]games.Game, error) {
		var wanted []games.Game
		for _, one := range found {
			if one.Publisher == publisher {
				wanted = append(wanted, one)
			}
		}
		return wanted, nil
	}), err
}

func (r *root) AddGame(ctx context.Context, arguments struct{ Game games.Game }) (*games.Kept, error) {
	if err := games.CheckID(arguments.Game.ID); err != nil {
		return nil, err
	}
	kept, err := r.database.Add(ctx, arguments.Game)
	return &kept, err
}

func (r *root) UpdateGame(ctx context.Context, arguments struct{ Game games.Game }) (*games.Kept, error) {
	if err := games.CheckID(arguments.Game.ID); err != nil {
		return nil, err
	}
	kept, err := r.database.Update(ctx, arguments.Game)
	return &kept, err
}

func (r *root) DeleteGame(ctx context.Context, arguments struct{ ID int32 }) (*games.Deleted, error) {
	if err := games.CheckID(arguments.ID); err != nil {
		return nil, err
	}
	deleted, err := r.database.Delete(ctx, arguments.ID)
	return &deleted, err
}
