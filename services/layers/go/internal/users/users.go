// Package users has the answers of every layer: users, and pages of them.
package users

import (
	"context"
	"strconv"
	"time"
)

// User is one user, with its fields in the order of the contract.
type User struct {
	ID            string    `json:"id"`
	Username      string    `json:"username"`
	Email         string    `json:"email"`
	FirstName     string    `json:"first_name"`
	LastName      string    `json:"last_name"`
	Phone         string    `json:"phone"`
	AvatarURL     string    `json:"avatar_url"`
	Role          string    `json:"role"`
	Status        string    `json:"status"`
	EmailVerified bool      `json:"email_verified"`
	LoginCount    int32     `json:"login_count"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	LastLoginAt   time.Time `json:"last_login_at"`
}

// List is a page of users.
type List struct {
	Users []User `json:"users"`
	Page  Page   `json:"page"`
}

// Page is the position of a list among all users.
type Page struct {
	Number int `json:"number"`
	Size   int `json:"size"`
	Total  int `json:"total"`
	Pages  int `json:"pages"`
}

// Source is a layer as seen by the one above it.
type Source interface {
	// Get returns one user, or a Refusal.
	Get(ctx context.Context, id string) (User, error)
	// List returns a page, the first is 1, or a Refusal.
	List(ctx context.Context, page, size int) (List, error)
}

// UsualSize is the default size of a page; MostSize is the largest.
const (
	UsualSize = 20
	MostSize  = 100
)

// Checked does the work of the service: it refuses requests that the repository need not see.
type Checked struct{ Next Source }

// Get requests a user from the next layer if the id is valid.
func (checked Checked) Get(ctx context.Context, id string) (User, error) {
	if number, err := strconv.ParseInt(id, 10, 32); err != nil || number < 1 || strconv.FormatInt(number, 10) != id {
		return User{}, Refusal{Invalid, "the id of a user is a whole number from 1 to 2147483647"}
	}
	return checked.Next.Get(ctx, id)
}

// List requests a page from the next layer if the page is valid.
func (checked Checked) List(ctx context.Context, page, size int) (List, error) {
	if page < 1 {
		return List{}, Refusal{Invalid, "the first page is 1"}
	}
	if size < 1 || size > MostSize {
		return List{}, Refusal{Invalid, "a page has 1 to " + strconv.Itoa(MostSize) + " users"}
	}
	return checked.Next.List(ctx, page, size)
}
