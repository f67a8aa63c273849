package layer

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"

	"wiregauge/services/layers/go/internal/answering"
	"wiregauge/services/layers/go/internal/users"
	"wiregauge/services/lib/program"
)

func listener(t *testing.T) net.Listener {
	t.Helper()
	made, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// address has both addresses of a layer.
type address struct{ url, target string }

// serving answers from a source until the test is over, and fails the test if that fails.
func serving(t *testing.T, source users.Source) address {
	t.Helper()
	at := answering.Places{HTTP: listener(t), GRPC: listener(t)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- answering.Serve(ctx, at, source) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("did not end")
		}
	})
	return address{"http://" + at.HTTP.Addr().String(), at.GRPC.Addr().String()}
}

// next returns the layer at an address over a protocol.
func next(t *testing.T, way string, at address) users.Source {
	t.Helper()
	settings := NextDefaults(at.url, at.target)
	settings["WAY"] = way
	source, end, err := Next(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = end() })
	return source
}

// chain starts all three layers.
func chain(t *testing.T, way string) (controller, service, repository address) {
	t.Helper()
	repository = serving(t, users.Made(100))
	service = serving(t, users.Checked{Next: next(t, way, repository)})
	return serving(t, next(t, way, service)), service, repository
}

func get(t *testing.T, url string) (text string, status int) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(read), answer.StatusCode
}

func TestGivesTheSameAnswersOverBothWays(t *testing.T) {
	overGRPC, _, _ := chain(t, "grpc")
	overHTTP, _, _ := chain(t, "http")
	for path, expected := range map[string]struct {
		status int
		holds  string
	}{
		"/12":                  {200, `{"id":"12","username":`},
		"/100":                 {200, `"last_login_at":"20`},
		"/101":                 {404, `{"error":"no user has this id"}`},
		"/0":                   {400, `{"error":"the id of a user is a whole number from 1 to 2147483647"}`},
		"/a%2Fb":               {400, `the id of a user`},
		"":                     {200, `"page":{"number":1,"size":20,"total":100,"pages":5}`},
		"?page=2&page_size=50": {200, `"page":{"number":2,"size":50,"total":100,"pages":2}`},
		"?page=0&page_size=0":  {200, `"page":{"number":1,"size":20,"total":100,"pages":5}`},
		"?page=9":              {200, `{"users":[],"page":{"number":9,`},
		"?page=-1":             {400, `{"error":"the first page is 1"}`},
		"?page_size=101":       {400, `{"error":"a page has 1 to 100 users"}`},
		"?page=x":              {400, `{"error":"page and page_size are whole numbers"}`},
	} {
		text, status := get(t, overGRPC.url+"/api/v1/users"+path)
		if status != expected.status || !strings.Contains(text, expected.holds) {
			t.Errorf("%s: %d %s, expected %d with %s", path, status, text, expected.status, expected.holds)
		}
		if other, otherStatus := get(t, overHTTP.url+"/api/v1/users"+path); other != text || otherStatus != status {
			t.Errorf("%s: over HTTP %d %s, over gRPC %d %s", path, otherStatus, other, status, text)
		}
	}
}

func TestHasTwentyUsersOnAPageUnlessAskedForMore(t *testing.T) {
	controller, _, _ := chain(t, "grpc")
	for query, expected := range map[string]int{"": 20, "?page=1&page_size=50": 50} {
		text, _ := get(t, controller.url+"/api/v1/users"+query)
		var list users.List
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Users) != expected {
			t.Errorf("%q: %d users, expected %d (%v)", query, len(list.Users), expected, err)
		}
	}
}

func TestShowsFiguresOfEveryLayer(t *testing.T) {
	for way, inner := range map[string][]string{
		"grpc": {
			`request_duration_seconds_count{operation="GetUser",protocol="grpc"} 2`,
			`grpc_requests_total{code="NotFound",method="GetUser"} 1`, `grpc_requests_total{code="OK",method="GetUser"} 1`,
			`active_connections{protocol="grpc"} 1`,
		},
		"http": {
			`request_duration_seconds_count{operation="GetUser",protocol="http"} 2`,
			`http_requests_total{operation="GetUser",status="404"} 1`, `http_requests_total{operation="GetUser",status="200"} 1`,
		},
	} {
		controller, service, repository := chain(t, way)
		get(t, controller.url+"/api/v1/users/1")
		get(t, controller.url+"/api/v1/users/101")
		outer := []string{`http_requests_total{operation="GetUser",status="404"} 1`, `active_connections{protocol="http"} 1`}
		for name, one := range map[string]struct {
			at       address
			expected []string
		}{"controller": {controller, outer}, "service": {service, inner}, "repository": {repository, inner}} {
			text, _ := get(t, one.at.url+"/metrics")
			for _, line := range append(one.expected, "go_goroutines ", "process_cpu_seconds_total ") {
				if !strings.Contains(text, "\n"+line) {
					t.Errorf("%s, %s: no line %s", way, name, line)
				}
			}
		}
	}
}

func TestTellsWhetherEveryLayerIsHealthyAndWhatItHas(t *testing.T) {
	controller, service, repository := chain(t, "grpc")
	for _, at := range []address{controller, service, repository} {
		if text, status := get(t, at.url+"/health"); status != http.StatusOK || text != `{"status":"SERVING"}` {
			t.Errorf("found %d %s", status, text)
		}
		connection, err := grpc.NewClient(at.target, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		for _, name := range []string{"", "layers.v1.UserService"} {
			state, err := grpc_health_v1.NewHealthClient(connection).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: name})
			if err != nil || state.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
				t.Errorf("%q: %v, %v", name, state, err)
			}
		}
		if names := reflected(t, connection); !strings.Contains(names, "layers.v1.UserService") {
			t.Errorf("reflection has %s", names)
		}
	}
}

// reflected returns the names of the services that reflection lists.
func reflected(t *testing.T, connection *grpc.ClientConn) string {
	t.Helper()
	stream, err := grpc_reflection_v1.NewServerReflectionClient(connection).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	question := &grpc_reflection_v1.ServerReflectionRequest_ListServices{}
	if err := stream.Send(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: question}); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return answer.GetListServicesResponse().String()
}

func TestSaysWhatTheNextLayerDidNotAnswer(t *testing.T) {
	gone := listener(t)
	at := address{"http://" + gone.Addr().String(), gone.Addr().String()}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"grpc", "http"} {
		controller := serving(t, next(t, way, at))
		text, status := get(t, controller.url+"/api/v1/users/1")
		if status != http.StatusBadGateway || !strings.Contains(text, "connection refused") {
			t.Errorf("%s: %d %s, expected 502 and the cause", way, status, text)
		}
	}
}

func TestRefusesAWayThatThereIsNot(t *testing.T) {
	settings := NextDefaults("", "")
	settings["WAY"] = "carrier"
	if _, _, err := Next(settings); err == nil || !strings.Contains(err.Error(), "grpc or http") {
		t.Errorf("found %v", err)
	}
	for _, idle := range []string{"0", "many"} {
		settings := program.Settings{"WAY": "http", "IDLE_CONNECTIONS": idle}
		if _, _, err := Next(settings); err == nil || !strings.Contains(err.Error(), "IDLE_CONNECTIONS") {
			t.Errorf("%s: %v", idle, err)
		}
	}
}
