package overhttp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"wiregauge/services/payload/go/internal/answers"
	"wiregauge/services/payload/go/internal/settings"
)

func TestTakesGzip(t *testing.T) {
	for header, expected := range map[string]bool{
		"":                    false,
		"gzip":                true,
		"GZIP":                true,
		"br, gzip":            true,
		"gzip;q=0.1":          true,
		"gzip; q=0":           false,
		"gzip;q=0.000, *":     false,
		"*":                   true,
		"*;q=0":               false,
		"identity":            false,
		"x-gzip":              false,
		"gzip;q=x":            false,
		"br;q=1, gzip ; Q=.5": true,
	} {
		if found := takesGzip([]string{header}); found != expected {
			t.Errorf("%q: %t, expected %t", header, found, expected)
		}
	}
}

func answering(t *testing.T, encode func(count int) ([]byte, error), variables map[string]string) func(path string) *http.Response {
	t.Helper()
	read, err := settings.OverHTTP(func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	})
	if err != nil {
		t.Fatal(err)
	}
	handler := handler{form: answers.Form{ContentType: "text/plain", Encode: encode}, read: read}
	return func(path string) *http.Response {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		return recorder.Result()
	}
}

func TestSerialisesEachAnswerAnewAndItsExtraWorkBefore(t *testing.T) {
	var encoded []int
	encode := func(count int) ([]byte, error) {
		encoded = append(encoded, count)
		return []byte("x"), nil
	}
	get := answering(t, encode, map[string]string{"EXTRA_WORK": "5", "BENCHMARK": "1"})
	get("/objects?count=100")
	get("/objects?count=100")
	get("/objects?count=1")
	get("/objects?count=0")
	get("/health")
	if len(encoded) != 5 || encoded[0] != 5 || encoded[1] != 100 || encoded[2] != 5 || encoded[3] != 100 || encoded[4] != 1 {
		t.Errorf("serialized %v", encoded)
	}
}

func TestTellsNothingOfAFaultOfItsOwn(t *testing.T) {
	get := answering(t, func(int) ([]byte, error) { return nil, errors.New("a secret") }, nil)
	if response := get("/objects?count=1"); response.StatusCode != http.StatusInternalServerError {
		t.Errorf("answered %s", response.Status)
	}
}
