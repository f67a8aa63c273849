package users

import (
	"bytes"
	"os"
	"testing"
)

func TestTheFirstUsersAreThoseOfTheUserService(t *testing.T) {
	theirs, err := os.ReadFile("../../../../users/users.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, theirs) {
		t.Error("users.json is another one than services/users/users.json: copy it")
	}
}

func TestEachUserHasAnIDOfItsOwnAndTheDataOfTheTenInTurn(t *testing.T) {
	tenth, twentieth := At(10), At(20)
	if tenth.ID != 10 || twentieth.ID != 20 || tenth.Name == "" || twentieth.Name != tenth.Name || At(11).Name != At(1).Name {
		t.Errorf("%+v and %+v", tenth, twentieth)
	}
	for id, has := range map[int]bool{-1: false, 0: false, 1: true, Most: true, Most + 1: false} {
		if Has(id) != has {
			t.Errorf("%d: %t", id, Has(id))
		}
	}
}
