package users

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"wiregauge/services/lib/pb/layersv1"
)

// forms are one user, twenty, and a page of fifty, as a struct for JSON and as the answer of a call.
func forms(t testing.TB) []form {
	t.Helper()
	store := Made(100)
	user, err := store.Get(t.Context(), "12")
	if err != nil {
		t.Fatal(err)
	}
	made := []form{{"1", user, &layersv1.GetUserResponse{User: user.Message()}}}
	for _, size := range []int{20, 50} {
		list, err := store.List(t.Context(), 1, size)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, form{fmt.Sprint(size), list, list.Message()})
	}
	return made
}

type form struct {
	users   string
	value   any
	message proto.Message
}

func (one form) bytes(t testing.TB) (text, message []byte) {
	t.Helper()
	text, err := json.Marshal(one.value)
	if err != nil {
		t.Fatal(err)
	}
	if message, err = proto.Marshal(one.message); err != nil {
		t.Fatal(err)
	}
	return text, message
}

// In the study, a user has 450 bytes of JSON and 180 of protobuf, 20 users 8,100 and 3,200, a page of 50 users 19,500
// and 7,800.
func TestHasAnswersAsLargeAsThoseOfTheStudy(t *testing.T) {
	expected := map[string][2]int{"1": {385, 158}, "20": {7724, 3108}, "50": {19219, 7761}}
	for _, one := range forms(t) {
		text, message := one.bytes(t)
		if found := [2]int{len(text), len(message)}; found != expected[one.users] {
			t.Errorf("%s users: %v bytes of JSON and of protobuf, expected %v", one.users, found, expected[one.users])
		}
	}
}

func TestKeepsAllFieldsInBothForms(t *testing.T) {
	list, err := Made(100).List(t.Context(), 2, 40)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var fromJSON List
	if err := json.Unmarshal(text, &fromJSON); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]List{"JSON": fromJSON, "protobuf": ListFromMessage(list.Message())} {
		if !reflect.DeepEqual(read, list) {
			t.Errorf("%s: %v, expected %v", name, read, list)
		}
	}
}

func TestCutsPages(t *testing.T) {
	store := Made(45)
	for _, one := range []struct{ page, users int }{{1, 20}, {3, 5}, {4, 0}} {
		list, err := store.List(t.Context(), one.page, 20)
		expected := Page{Number: one.page, Size: 20, Total: 45, Pages: 3}
		if err != nil || len(list.Users) != one.users || list.Users == nil || list.Page != expected {
			t.Errorf("page %d: %d users and %v, %v", one.page, len(list.Users), list.Page, err)
		}
	}
}

func TestAnswersWhatNobodyRefused(t *testing.T) {
	for _, one := range [][2]int{{-1, 20}, {1, -1}, {0, 0}} {
		if list, err := Made(45).List(t.Context(), one[0], one[1]); err != nil || len(list.Users) == 0 {
			t.Errorf("page %d of %d: %d users, %v", one[0], one[1], len(list.Users), err)
		}
	}
}

func TestRefusesWhatNoRepositoryHas(t *testing.T) {
	checked := Checked{Made(45)}
	for id, expected := range map[string]Kind{"45": 0, "46": Unknown, "0": Invalid, "01": Invalid, "+1": Invalid, "2147483648": Invalid, "x": Invalid} {
		_, err := checked.Get(t.Context(), id)
		if kindOf(err) != expected {
			t.Errorf("user %s: %v", id, err)
		}
	}
	for page, expected := range map[[2]int]Kind{{1, 1}: 0, {1, 100}: 0, {0, 20}: Invalid, {1, 0}: Invalid, {1, 101}: Invalid} {
		_, err := checked.List(t.Context(), page[0], page[1])
		if kindOf(err) != expected {
			t.Errorf("page %v: %v", page, err)
		}
	}
}

// kindOf is 0 if there is an answer.
func kindOf(err error) Kind {
	var refusal Refusal
	if errors.As(err, &refusal) {
		return refusal.Kind
	}
	return 0
}
