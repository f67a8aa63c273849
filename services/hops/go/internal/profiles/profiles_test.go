package profiles

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func stored(t *testing.T, names ...string) Store {
	t.Helper()
	store, err := NewStore(names)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestPutsAProfileTogetherHoweverItsPartsAreDealtOut(t *testing.T) {
	all, err := stored(t, Names()...).Of(7)
	if err != nil {
		t.Fatal(err)
	}
	expected, err := Whole(7, all)
	if err != nil || len(expected.Parts) != 10 {
		t.Fatalf("found %v, %v", expected, err)
	}
	for _, share := range []int{1, 2, 5} {
		var parts []Part
		for first := 0; first < 10; first += share {
			some, err := stored(t, Names()[first:first+share]...).Of(7)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, some...)
		}
		if found, err := Whole(7, parts); err != nil || !reflect.DeepEqual(found, expected) {
			t.Errorf("%d parts for each member: found %v, %v", share, found, err)
		}
	}
}

func TestRefusesAProfileThatIsNotWhole(t *testing.T) {
	all, err := stored(t, Names()...).Of(1)
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]Part{
		"the last is missing": all[:9], "one is there twice": append(append([]Part{}, all...), all[9]), "none is there": nil,
		"in another order": append(append([]Part{}, all[1:]...), all[0]),
	} {
		if profile, err := Whole(1, parts); FailureOf(err).Kind != Gone || profile.Parts != nil {
			t.Errorf("%s: found %v, %v", name, profile, err)
		}
	}
}

func TestRefusesPartsThatThereAreNot(t *testing.T) {
	for _, names := range [][]string{{}, {""}, {"account", "none"}, {"account", "account"}} {
		if _, err := NewStore(names); err == nil {
			t.Errorf("%q were taken", names)
		}
	}
}

func TestRefusesIdsThatThereAreNot(t *testing.T) {
	store := stored(t, "account")
	for id, kind := range map[int32]Kind{0: Invalid, -1: Invalid, Users + 1: Unknown, 2147483647: Unknown} {
		if parts, err := store.Of(id); FailureOf(err).Kind != kind || parts != nil {
			t.Errorf("%d: found %v, %v", id, parts, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "+1", "01", "1.0", "x", "2147483648"} {
		if id, err := ID(text); FailureOf(err).Kind != Invalid {
			t.Errorf("%q: found %d, %v", text, id, err)
		}
	}
	if id, err := ID("2147483647"); err != nil || id != 2147483647 {
		t.Errorf("found %d, %v", id, err)
	}
}

func TestIsTheSameAsAMessage(t *testing.T) {
	parts, err := stored(t, Names()...).Of(3)
	if err != nil {
		t.Fatal(err)
	}
	if found := FromMessages(Messages(parts)); !reflect.DeepEqual(found, parts) {
		t.Errorf("found %v", found)
	}
}

func TestSaysAFailureInBothProtocolsAndNothingOfTheValue(t *testing.T) {
	parts, err := stored(t, "account").Of(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range []error{
		Failure{Invalid, "why"}, Failure{Unknown, "why"}, Failure{Gone, "why"}, Failure{Late, "why"}, errors.New("why"),
	} {
		answer := httptest.NewRecorder()
		Write(answer, Parts{Parts: parts}, failure)
		kind := FailureOf(failure).Kind
		var found map[string]string
		if err := json.Unmarshal(answer.Body.Bytes(), &found); err != nil || len(found) != 1 || found["error"] != "why" || answer.Code != kind.Status {
			t.Errorf("found %d: %s", answer.Code, answer.Body)
		}
	}
	if said := status.Convert(Failure{Late, "why"}); said.Code() != codes.DeadlineExceeded || said.Message() != "why" {
		t.Errorf("found %v", said)
	}
	answer := httptest.NewRecorder()
	Write(answer, Parts{Parts: parts}, nil)
	if answer.Code != http.StatusOK || !strings.HasPrefix(answer.Body.String(), `{"parts":[{"name":"account","entries":[{"key":"login","value":"login of user 001"}`) {
		t.Errorf("found %d: %s", answer.Code, answer.Body)
	}
}
