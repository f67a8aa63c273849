// Answers with some users over net/http; the variable KIND names one change, which every request then has.
package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"sync"
	"time"

	gojson "github.com/goccy/go-json"
	_ "github.com/mattn/go-sqlite3"
)

// usual is how many users an answer has: as many as it takes for the service to be slower than what loads it.
const (
	usual     = 100
	walkBytes = 128 << 20
	walkSteps = 1_000
)

var address = regexp.MustCompile(`^([a-z]+)(\d+)@((?:[a-z]+\.)*)test$`)

type user struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Email string   `json:"email"`
	Tags  []string `json:"tags"`
}

// users is what is answered.
func users(count int) []user {
	all := make([]user, 0, count)
	for number := 1; number <= count; number++ {
		name, email := fmt.Sprintf("User %d", number), fmt.Sprintf("user%d@shop.example.test", number)
		all = append(all, user{number, name, email, []string{"a", "b"}})
	}
	return all
}

// What the compiler may not leave out.
var (
	total int
	kept  *[8]int
)

func loop() {
	for number := range 60_000 {
		total += number
	}
}

func match() {
	for number := 1; number <= usual; number++ {
		address.MatchString(fmt.Sprintf("user%d@shop.example.test", number))
	}
}

func allocate() {
	for range 2_000 {
		kept = new([8]int)
	}
}

// walker gives a walk over memory that no cache holds: where each step leads is read in the step before.
func walker() func() {
	memory := bytes.Repeat([]byte{1}, walkBytes)
	place := uint64(0)
	var lock sync.Mutex
	return func() {
		lock.Lock()
		defer lock.Unlock()
		for range walkSteps {
			place = (place*1103515245 + 12345 + uint64(memory[place])) & (walkBytes - 1)
		}
	}
}

func logger() func() {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		log.Fatal(err)
	}
	own := slog.New(slog.NewTextHandler(null, nil))
	return func() { own.Info("answered", "request", "GET /users", "users", usual) }
}

func query() func() {
	database, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	database.SetMaxOpenConns(1)
	execute := func(text string, values ...any) {
		if _, err := database.Exec(text, values...); err != nil {
			log.Fatal(err)
		}
	}
	execute("CREATE TABLE prices (id INTEGER PRIMARY KEY, price REAL, name TEXT)")
	for number := 1; number <= 100; number++ {
		execute("INSERT INTO prices VALUES (?, ?, ?)", number, float64(number)/7, fmt.Sprintf("Item %d", number))
	}
	return func() {
		var price float64
		var name string
		if err := database.QueryRow("SELECT price, name FROM prices WHERE id = ?", 42).Scan(&price, &name); err != nil {
			log.Fatal(err)
		}
	}
}

// extra is what a request does besides its answer.
func extra(kind string) func() {
	var lock sync.Mutex
	switch kind {
	case "logging":
		return logger()
	case "loop":
		return loop
	case "regex":
		return match
	case "allocation":
		return allocate
	case "sleep":
		return func() { time.Sleep(time.Millisecond) }
	case "lock":
		return func() {
			lock.Lock()
			time.Sleep(500 * time.Microsecond)
			lock.Unlock()
		}
	case "cache":
		return walker()
	case "query":
		return query()
	}
	return func() {}
}

func main() {
	kind := os.Getenv("KIND")
	doExtra, encode, count := extra(kind), json.Marshal, usual
	switch kind {
	case "json":
		encode = func(value any) ([]byte, error) { return gojson.Marshal(value) }
	case "answer":
		count = 2 * usual
	}
	http.HandleFunc("GET /users", func(answer http.ResponseWriter, _ *http.Request) {
		doExtra()
		body, err := encode(users(count))
		if err != nil {
			log.Fatal(err)
		}
		answer.Header().Set("Content-Type", "application/json")
		if kind == "compression" {
			answer.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(answer)
			defer packed.Close()
			_, _ = packed.Write(body)
			return
		}
		_, _ = answer.Write(body)
	})
	listen := os.Getenv("HOST") + ":" + os.Getenv("PORT")
	if kind == "tls" {
		log.Fatal(http.ListenAndServeTLS(listen, os.Getenv("CERTIFICATE"), os.Getenv("KEY"), nil))
	}
	log.Fatal(http.ListenAndServe(listen, nil))
}
