// Command games-websocket answers messages about the games over WebSocket.
package main

import (
	"os"

	"wiregauge/services/games/go/internal/overwebsocket"
	"wiregauge/services/games/go/internal/starting"
	"wiregauge/services/lib/program"
)

func main() { os.Exit(program.Run(starting.Program("games-websocket", "8765", overwebsocket.Handler))) }
