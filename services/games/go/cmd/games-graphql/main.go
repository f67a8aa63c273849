// Command games-graphql answers queries of the games over GraphQL.
package main

import (
	"context"
	"net/http"
	"os"

	"wiregauge/services/games/go/internal/games"
	"wiregauge/services/games/go/internal/overgraphql"
	"wiregauge/services/games/go/internal/starting"
	"wiregauge/services/lib/program"
)

func main() {
	handler := func(_ context.Context, database games.Database) http.Handler { return overgraphql.Handler(database) }
	os.Exit(program.Run(starting.Program("games-graphql", "5000", handler)))
}
