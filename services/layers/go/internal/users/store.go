package users

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Store is the source of the repository: users in memory. Each answer is converted to JSON or a message, since that is a part of the cost of a
// layer.
type Store struct {
	all  []User
	byID map[string]User
}

var (
	firstNames = []string{"Ada", "Bruno", "Clara", "David", "Elena", "Felix", "Grace", "Hugo"}
	lastNames  = []string{"Keller", "Moreau", "Novak", "Okafor", "Rossi", "Silva", "Tanaka", "Weber", "Young"}
	roles      = []string{"member", "member", "editor", "admin"}
	firstDay   = time.Date(2024, time.January, 8, 9, 30, 0, 0, time.UTC)
)

// Made returns a store of users with the ids 1 to count, the same at each start.
func Made(count int) *Store {
	store := &Store{byID: make(map[string]User, count)}
	for number := 1; number <= count; number++ {
		user := made(number)
		store.all = append(store.all, user)
		store.byID[user.ID] = user
	}
	return store
}

func made(number int) User {
	first, last := firstNames[number%len(firstNames)], lastNames[number%len(lastNames)]
	username := strings.ToLower(first) + "." + strings.ToLower(last)
	status := "active"
	if number%10 == 0 {
		status = "suspended"
	}
	created := firstDay.Add(time.Duration(number) * 7 * time.Hour)
	return User{
		ID:            strconv.Itoa(number),
		Username:      username,
		Email:         username + "@mail.example.com",
		FirstName:     first,
		LastName:      last,
		Phone:         fmt.Sprintf("+1555010%04d", number%10_000),
		AvatarURL:     fmt.Sprintf("https://images.example.com/avatars/%04d.png", number),
		Role:          roles[number%len(roles)],
		Status:        status,
		EmailVerified: true,
		LoginCount:    int32(number%90 + 10),
		CreatedAt:     created,
		UpdatedAt:     created.Add(200 * time.Hour),
		LastLoginAt:   created.Add(300 * time.Hour),
	}
}

// Get returns one user.
func (store *Store) Get(_ context.Context, id string) (User, error) {
	user, found := store.byID[id]
	if !found {
		return User{}, Refusal{Unknown, "no user has this id"}
	}
	return user, nil
}

// List returns a page; one beyond the last has no users. The layer above refuses invalid pages.
func (store *Store) List(_ context.Context, page, size int) (List, error) {
	total := len(store.all)
	length := max(size, 1)
	pages := (total + length - 1) / length
	from := total
	if page <= pages {
		from = (max(page, 1) - 1) * length
	}
	to := min(from+length, total)
	return List{Users: store.all[from:to:to], Page: Page{Number: page, Size: size, Total: total, Pages: pages}}, nil
}
