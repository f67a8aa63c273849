// Package profiles has the answers of a gateway and its members: profiles of users, each with ten parts, the same at each
// start.
package profiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Users is their number; their ids are 1 to that.
const Users = 100

// Part is a part of a profile, with its fields in the order of the contract.
type Part struct {
	Name    string  `json:"name"`
	Entries []Entry `json:"entries"`
}

// Entry is one fact about a user.
type Entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Parts are a member's parts of one user.
type Parts struct {
	Parts []Part `json:"parts"`
}

// Profile is a whole one.
type Profile struct {
	ID    int32  `json:"id"`
	Parts []Part `json:"parts"`
}

// contents are the parts in the order of an answer, with the keys of each.
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

// Names returns those of all parts, in the order of an answer.
func Names() []string {
	names := make([]string, len(contents))
	for index, part := range contents {
		names[index] = part.name
	}
	return names
}

// Store has some parts of all users.
type Store struct{ ofUsers [][]Part }

// NewStore makes the parts with these names, in the order of an answer.
func NewStore(names []string) (Store, error) {
	for index, name := range names {
		if !slices.Contains(Names(), name) || slices.Contains(names[:index], name) {
			return Store{}, fmt.Errorf("%q is not part of a profile, or is named twice: choose from %s", name, strings.Join(Names(), ","))
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

// Of returns the parts of a user, or a Failure.
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

// Whole combines a profile. It returns a Failure if any part is missing or duplicate.
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
