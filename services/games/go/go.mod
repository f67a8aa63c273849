module wiregauge/services/games/go

go 1.26.0

replace wiregauge/services/lib/program => ../../lib/program

require (
	github.com/coder/websocket v1.8.15
	github.com/graph-gophers/graphql-go v1.11.0
	go.mongodb.org/mongo-driver/v2 v2.10.0
	wiregauge/services/lib/program v0.0.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/xdg-go/scram v1.4.0 // indirect
	github.com/xdg-go/stringprep v1.0.4 // indirect
	github.com/youmark/pkcs8 v0.0.0-20240726163527-a2c0da244d78 // indirect
	golang.org/x/crypto v0.54.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)
