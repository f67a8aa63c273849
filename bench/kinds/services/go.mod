module wiregauge/bench/kinds

go 1.26.0

require (
	github.com/goccy/go-json v0.10.5
	github.com/mattn/go-sqlite3 v1.14.32
)
