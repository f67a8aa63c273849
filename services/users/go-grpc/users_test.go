package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"wiregauge/services/lib/pb/userv1"
)

func TestAnswersWithUsersInTheOrderOfTheirIDs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "users.json")
	text := `{"users": [{"id": 7, "name": "G", "email": "g@example.org", "age": 1}, {"id": 2, "name": "B", "email": "b@example.org", "age": 0}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := readUsers(file)
	if err != nil {
		t.Fatal(err)
	}
	server := newUserServer(list)
	all, err := server.ListUsers(t.Context(), &userv1.ListUsersRequest{})
	if err != nil || len(all.GetUsers()) != 2 || all.GetUsers()[0].GetId() != 2 || all.GetUsers()[1].GetName() != "G" {
		t.Errorf("found %v, %v", all, err)
	}
	for id, expected := range map[int32]codes.Code{7: codes.OK, 3: codes.NotFound, 0: codes.InvalidArgument, -1: codes.InvalidArgument} {
		answer, err := server.GetUser(t.Context(), &userv1.GetUserRequest{Id: id})
		if status.Code(err) != expected || (err == nil && answer.GetUser().GetId() != id) {
			t.Errorf("%d: %v, %v", id, answer, err)
		}
	}
}

func TestNamesTheFileOfUsersThatItCannotRead(t *testing.T) {
	if _, err := readUsers("missing.json"); err == nil || !strings.Contains(err.Error(), "USERS_FILE missing.json") {
		t.Errorf("found %v", err)
	}
}
