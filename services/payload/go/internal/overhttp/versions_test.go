package overhttp

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"wiregauge/services/payload/go/internal/answers"
	"wiregauge/services/payload/go/internal/settings"
)

func TestAnswersAreTheSameOverBothVersionsOfHTTPAtOnePort(t *testing.T) {
	read, err := settings.OverHTTP(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	form := answers.Form{ContentType: "text/plain", Encode: func(int) ([]byte, error) { return []byte("objects"), nil }}
	go func() { ended <- New(form, read).Serve(ctx, listener) }()
	for major, choose := range map[int]func(*http.Protocols){
		1: func(p *http.Protocols) { p.SetHTTP1(true) },
		2: func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		protocols := &http.Protocols{}
		choose(protocols)
		transport := &http.Transport{Protocols: protocols}
		response, err := (&http.Client{Transport: transport}).Get("http://" + listener.Addr().String() + "/objects?count=1")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || string(body) != "objects" || response.ProtoMajor != major {
			t.Errorf("HTTP/%d: %q over HTTP/%d, %v", major, body, response.ProtoMajor, err)
		}
		_ = response.Body.Close()
		transport.CloseIdleConnections()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
