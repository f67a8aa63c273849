package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnswersWithUsersInTheOrderOfTheirIDs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "users.json")
	text := `{"users": [{"id": 7, "name": "G", "email": "g@example.org", "age": 1}, {"id": 2, "name": "B", "email": "b@example.org", "age": 0}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	users, err := readUsers(file)
	if err != nil {
		t.Fatal(err)
	}
	answers := handler(users, nil)
	for path, expected := range map[string]string{
		"/user/7": `{"id":7,"name":"G","email":"g@example.org","age":1}`,
		"/users":  `{"users":[{"id":2,"name":"B","email":"b@example.org","age":0},{"id":7,"name":"G","email":"g@example.org","age":1}]}`,
	} {
		answer := httptest.NewRecorder()
		answers.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != http.StatusOK || answer.Body.String() != expected {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}

func TestNamesTheFileOfUsersThatItCannotRead(t *testing.T) {
	if _, err := readUsers("missing.json"); err == nil || !strings.Contains(err.Error(), "USERS_FILE missing.json") {
		t.Errorf("found %v", err)
	}
}

func TestTakesOneSpellingOfEachID(t *testing.T) {
	for text, expected := range map[string]int32{
		"1": 1, "10": 10, "2147483647": 2_147_483_647,
		"": 0, "0": 0, "01": 0, "+1": 0, "-1": 0, "1_0": 0, "1.0": 0, " 1": 0, "1\n": 0, "٣": 0, "2147483648": 0,
	} {
		if id, ok := parseID(text); id*toInt(ok) != expected {
			t.Errorf("%q: %d, %t", text, id, ok)
		}
	}
}

func toInt(is bool) int32 {
	if is {
		return 1
	}
	return 0
}
