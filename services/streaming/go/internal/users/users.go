// Package users has a requested number of users: the ten of the User Service in turn, each with a unique id.
package users

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Most is the highest id.
const Most = 1_000_000

// User is one user.
type User struct {
	ID    int32  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Age   int32  `json:"age"`
}

// text is services/users/users.json, which the image of a service in Go does not have beside it.
//
//go:embed users.json
var text []byte

var known = read()

func read() []User {
	var file struct{ Users []User }
	if err := json.Unmarshal(text, &file); err != nil {
		panic(fmt.Errorf("users.json: %w", err))
	}
	return file.Users
}

// At returns the user with an id from 1 to Most.
func At(id int) User {
	user := known[(id-1)%len(known)]
	user.ID = int32(id)
	return user
}

// Has returns whether there is a user with that id, and thus that many users.
func Has(id int) bool { return id >= 1 && id <= Most }
