// Package profiles has what a gateway and its members answer: profiles of users, each of ten parts, the same at each start.
package profiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Users is how many there are; their ids are 1 to that.
const Users = 100

// Part is a part of a profile, with its fields in the order of the contract.
type Part struct {
	Name    string  `json:"name"`
	Entries []Entry `json:"entries"`
}

// Entry is what is known of a user.
type Entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Parts are those that a member has of one user.
type Parts struct {
	Parts []Part `json:"parts"`
}

// Profile is a whole one.
type Profile struct {
	ID    int32  `json:"id"`
	Parts []Part `json:"parts"`
}

// contents are the parts in their order in an answer, with the keys of each.
var contents = []struct {
	name string
	keys [4]string
}{
	{"account", [4]string{"login", "plan", "state", "created"}},
	{"contact", [4]string{"email", "phone", "language", "timezone"}},
	{"address", [4]string{"street", "city", "zip", "country"}},
	{"preferences", [4]string{"theme", "density", "start", "currency"}},
	{"roles", [4]string{"team", "role", "scope", "granted"}},
	{"orders", [4]string{"last", "count", "total", "open"}},
	{"payments", [4]string{"method", "last", "due", "limit"}},
	{"devices", [4]string{"phone", "laptop", "browser", "seen"}},
	{"messages", [4]string{"unread", "drafts", "last", "muted"}},
	{"consents", [4]string{"terms", "mail", "analytics", "since"}},
}

// Names are those of all parts, in their order in an answer.
func Names() []string {
	names := make([]string, len(contents))
	for index, part := range contents {
		names[index] = part.name
	}
	return names
}

// Store has some parts of all users.
type Store struct{ ofUsers [][]Part }

// NewStore makes the parts of these names, in their order in an answer.
func NewStore(names []string) (Store, error) {
	for index, name := range names {
		if !slices.Contains(Names(), name) || slices.Contains(names[:index], name) {
			return Store{}, fmt.Errorf("%q is no part of a profile, or is named twice: choose from %s", name, strings.Join(Names(), ","))
		}
	}
	if len(names) == 0 {
		return Store{}, errors.New("no part of a profile is named")
	}
	store := Store{ofUsers: make([][]Part, Users)}
	for user := range store.ofUsers {
		for _, part := range contents {
			if slices.Contains(names, part.name) {
				store.ofUsers[user] = append(store.ofUsers[user], partOf(part.name, part.keys, user+1))
			}
		}
	}
	return store, nil
}

func partOf(name string, keys [4]string, id int) Part {
	entries := make([]Entry, len(keys))
	for index, key := range keys {
		entries[index] = Entry{Key: key, Value: fmt.Sprintf("%s of user %03d", key, id)}
	}
	return Part{Name: name, Entries: entries}
}

// Of gives the parts of a user, or a Failure.
func (store Store) Of(id int32) ([]Part, error) {
	switch {
	case id < 1:
		return nil, Failure{Invalid, "an id is a whole number from 1 on"}
	case int(id) > len(store.ofUsers):
		return nil, Failure{Unknown, fmt.Sprintf("no user has the id %d", id)}
	default:
		return store.ofUsers[id-1], nil
	}
}

// Whole puts a profile together. It gives a Failure if any part is missing, or is there twice.
func Whole(id int32, parts []Part) (Profile, error) {
	found := make([]string, len(parts))
	for index, part := range parts {
		found[index] = part.Name
	}
	if !slices.Equal(found, Names()) {
		return Profile{}, Failure{Gone, fmt.Sprintf("the members gave %q, and a profile is %q", found, Names())}
	}
	return Profile{ID: id, Parts: parts}, nil
}
