package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func TestGraphQLAnswers(t *testing.T) {
	for body, want := range map[string]error{
		`{"data":{"user":{"id":1}}}`:                                       nil,
		` { "data" : { "user" : null } , "extensions" : {"errors":[1]} } `: nil,
		`{"data":{"errors":[{"message":"of the data"}]}}`:                  nil,
		`{"errors":null,"data":{"a":1}}`:                                   nil,
		`{"errors":[ ],"data":{"a":1}}`:                                    nil,
		`{"data":{"a":"\"errors\":[1]"}}`:                                  nil,
		`{"data":["errors",1]}`:                                            nil,
		`{"data":"x","errorsToo":[1]}`:                                     nil,
		`{"data":{"a":1},"errors":[{"message":"b"}]}`:                      errGraphQLErrors,
		`{"errors":[{"message":"b","path":["data"]}],"data":null}`:         errGraphQLErrors,
		"{\n\t\"errors\" : [\n {} ] }":                                     errGraphQLErrors,
		`{"errors":{"message":"no list"}}`:                                 errGraphQLErrors,
		`{"errors":"a text"}`:                                              errGraphQLErrors,
		`{"errors":["a text"]}`:                                            errGraphQLErrors,
		`{"data":null}`:                                                    errNoGraphQLData,
		`{"a":{"data":1}}`:                                                 errNoGraphQLData,
		`{"a":"data","data":null}`:                                         errNoGraphQLData,
		`[{"data":{"a":1}}]`:                                               errNoGraphQLData,
		`<html>"data": 1</html>`:                                           errNoGraphQLData,
		``:                                                                 errNoGraphQLData,
	} {
		read := map[string]io.Reader{"whole": strings.NewReader(body), "byte by byte": iotest.OneByteReader(strings.NewReader(body))}
		for how, reader := range read {
			_, err := io.Copy(io.Discard, newGraphQLBody(io.NopCloser(reader)))
			if err != want {
				t.Errorf("%s, %s: %v instead of %v", body, how, err, want)
			}
		}
	}
}

func TestAnswersWithErrorsAreFailuresOfLoadsOverGraphQL(t *testing.T) {
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/errors":
			_, _ = io.WriteString(w, `{"data":{"user":null},"errors":[{"message":"none"}]}`)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			_, _ = io.WriteString(w, `{"data":{"user":{"id":1}}}`)
		}
	})
	address := serveWith(t, answers, nil)
	for path, want := range map[string]string{"/": "", "/errors": errGraphQLErrors.Error(), "/busy": "503"} {
		b := httpLoad(t, address, "POST "+path)
		b.Load.Target.Checked = "graphql"
		runLoads(t, newStage(), b)
		for _, r := range recordsOf(t, b) {
			if !strings.Contains(r.failure, want) || (want == "" && r.failure != "") {
				t.Fatalf("%s: %q", path, r.failure)
			}
		}
	}
}
