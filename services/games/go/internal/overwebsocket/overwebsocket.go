// Package overwebsocket answers messages over WebSocket: each names a method, and its answer repeats the id of the message.
package overwebsocket

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/coder/websocket"

	"wiregauge/services/games/go/internal/games"
)

// mostBytes is the longest message, as in websockets for Python.
const mostBytes = 1 << 20

// Handler accepts connections until the context is done, and answers the messages of each in order.
func Handler(ctx context.Context, database games.Database) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(writer http.ResponseWriter, _ *http.Request) { _, _ = writer.Write([]byte("ok\n")) })
	mux.HandleFunc("/", func(writer http.ResponseWriter, request *http.Request) {
		// Compression is disabled, as over the other protocols.
		connection, err := websocket.Accept(writer, request, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			return
		}
		defer connection.CloseNow()
		connection.SetReadLimit(mostBytes)
		converse(ctx, connection, database)
	})
	return mux
}

// converse ends with the connection; nobody needs the reason.
func converse(ctx context.Context, connection *websocket.Conn, database games.Database) {
	for {
		_, message, err := connection.Read(ctx)
		if err != nil {
			return
		}
		if connection.Write(ctx, websocket.MessageText, answer(ctx, database, message)) != nil {
			return
		}
	}
}

type asked struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
}

type params struct {
	ID   json.RawMessage `json:"id"`
	Game json.RawMessage `json:"game"`
}

type answered struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Error  *problem        `json:"error,omitempty"`
}

type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

var errNotFound = errors.New("not found")

func answer(ctx context.Context, database games.Database, message []byte) []byte {
	var said asked
	err := json.Unmarshal(message, &said)
	if err != nil {
		err = games.Invalid("The message is not a valid object: %v.", err)
	}
	given := answered{ID: said.ID}
	if err == nil {
		given.Result, err = result(ctx, database, said)
	}
	if err != nil {
		given.Result, given.Error = nil, &problem{codeOf(err), err.Error()}
	}
	// All of it came from JSON, or consists of texts and numbers.
	text, _ := json.Marshal(given)
	return text
}

func codeOf(err error) string {
	switch {
	case errors.Is(err, games.ErrInvalid):
		return "invalid"
	case errors.Is(err, errNotFound):
		return "not-found"
	default:
		return "unavailable"
	}
}

func result(ctx context.Context, database games.Database, said asked) (any, error) {
	switch said.Method {
	case "addGame":
		game, err := games.ParseGame(said.Params.Game)
		if err != nil {
			return nil, err
		}
		return database.Add(ctx, game)
	case "updateGame":
		game, err := games.ParseGame(said.Params.Game)
		if err != nil {
			return nil, err
		}
		return database.Update(ctx, game)
	case "deleteGame":
		id, err := games.ParseID(said.Params.ID)
		if err != nil {
			return nil, err
		}
		return database.Delete(ctx, id)
	case "getGame":
		return get(ctx, database, said.Params.ID)
	case "listGames":
		found, err := database.List(ctx)
		return map[string][]games.Game{"games": found}, err
	default:
		return nil, games.Invalid("method must be addGame, getGame, listGames, updateGame, or deleteGame.")
	}
}

func get(ctx context.Context, database games.Database, raw json.RawMessage) (any, error) {
	id, err := games.ParseID(raw)
	if err != nil {
		return nil, err
	}
	game, err := database.Get(ctx, id)
	if err == nil && game == nil {
		return nil, errNotFound
	}
	return game, err
}
