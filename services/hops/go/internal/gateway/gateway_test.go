package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"wiregauge/services/hops/go/internal/part"
	"wiregauge/services/hops/go/internal/profiles"
	"wiregauge/services/lib/pb/profilesv1"
)

// form is one of the three that the suite compares.
type form struct {
	name string
	// front is the protocol of requests to the gateway, way that of its requests to members.
	front, way string
}

var forms = []form{{"REST in front of gRPC", "http", "grpc"}, {"REST all the way", "http", "http"}, {"gRPC all the way", "grpc", "grpc"}}

// started runs work at a free port until the test is over, or until it is ended.
func started(t *testing.T, work func(ctx context.Context, listener net.Listener) error) (address string, end func()) {
	t.Helper()
	return startedAt(t, "127.0.0.1:0", work)
}

func startedAt(t *testing.T, at string, work func(ctx context.Context, listener net.Listener) error) (address string, end func()) {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- work(ctx, listener) }()
	isEnded := false
	end = func() {
		if isEnded {
			return
		}
		isEnded = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("did not end")
		}
	}
	t.Cleanup(end)
	return listener.Addr().String(), end
}

// membersOf starts members with equal shares of the parts.
func membersOf(t *testing.T, count int) []member {
	t.Helper()
	made := make([]member, count)
	share := len(profiles.Names()) / count
	for index := range made {
		made[index] = member{parts: profiles.Names()[index*share : (index+1)*share]}
		made[index].start(t, "127.0.0.1:0")
	}
	return made
}

type member struct {
	parts   []string
	address string
	end     func()
}

func (one *member) start(t *testing.T, at string) {
	t.Helper()
	store, err := profiles.NewStore(one.parts)
	if err != nil {
		t.Fatal(err)
	}
	one.address, one.end = startedAt(t, at, func(ctx context.Context, listener net.Listener) error { return part.Serve(ctx, listener, store) })
}

func addressesOf(members []member) []string {
	addresses := make([]string, len(members))
	for index, one := range members {
		addresses[index] = one.address
	}
	return addresses
}

// front starts a gateway, and returns its address.
func front(t *testing.T, way string, limit time.Duration, members ...string) string {
	t.Helper()
	address, _ := started(t, func(ctx context.Context, listener net.Listener) error {
		return Serve(ctx, listener, Settings{Members: members, Way: way, Limit: limit})
	})
	return address
}

// answer is the result of a request: the profile, or the reason that there is none.
type answer struct {
	profile profiles.Profile
	status  int
	code    codes.Code
	text    string
}

// isOf is true for a failure of a kind, in its protocol, without any part of a profile.
func (found answer) isOf(kind profiles.Kind, over string) bool {
	isEmpty := found.profile.ID == 0 && len(found.profile.Parts) == 0 && found.text != ""
	return isEmpty && ((over == "http" && found.status == kind.Status) || (over == "grpc" && found.code == kind.Code))
}

func asked(t *testing.T, over, address string, id int32) answer {
	t.Helper()
	if over == "http" {
		status, text := got(t, address, fmt.Sprintf("/profiles/%d", id))
		found := answer{status: status}
		var refused profiles.Refused
		into := any(&found.profile)
		if status != http.StatusOK {
			into = &refused
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		found.text = refused.Error
		return found
	}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	made, err := profilesv1.NewProfileServiceClient(connection).GetProfile(t.Context(), &profilesv1.GetProfileRequest{Id: id})
	said := status.Convert(err)
	return answer{
		profile: profiles.Profile{ID: made.GetId(), Parts: profiles.FromMessages(made.GetParts())}, code: said.Code(), text: said.Message(),
	}
}

func got(t *testing.T, address, path string) (status int, text []byte) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	found, err := client.Get("http://" + address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Body.Close()
	text, err = io.ReadAll(found.Body)
	if err != nil {
		t.Fatal(err)
	}
	return found.StatusCode, text
}

const limit = 5 * time.Second

func TestGivesTheSameProfileInEveryFormAndOfHoweverManyMembers(t *testing.T) {
	store, err := profiles.NewStore(profiles.Names())
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{1, 5, 10} {
		members := addressesOf(membersOf(t, count))
		for _, form := range forms {
			address := front(t, form.way, limit, members...)
			for _, id := range []int32{1, 42, profiles.Users} {
				parts, err := store.Of(id)
				if err != nil {
					t.Fatal(err)
				}
				found := asked(t, form.front, address, id)
				if !reflect.DeepEqual(found.profile, profiles.Profile{ID: id, Parts: parts}) {
					t.Errorf("%s, %d members: found %+v", form.name, count, found)
				}
			}
		}
	}
}

func TestSaysThatAMemberIsGoneAndGivesTheWholeAgainOnceItIsBack(t *testing.T) {
	for _, form := range forms {
		members := membersOf(t, 5)
		address := front(t, form.way, limit, addressesOf(members)...)
		if found := asked(t, form.front, address, 1); len(found.profile.Parts) != 10 {
			t.Fatalf("%s: found %+v", form.name, found)
		}

		members[2].end()
		found := asked(t, form.front, address, 1)
		if !found.isOf(profiles.Gone, form.front) || !strings.Contains(found.text, members[2].address) {
			t.Errorf("%s: found %+v, expected that %s is gone", form.name, found, members[2].address)
		}

		members[2].start(t, members[2].address)
		deadline := time.Now().Add(10 * time.Second)
		// Over gRPC another connection is tried after a second.
		for found = asked(t, form.front, address, 1); len(found.profile.Parts) != 10; found = asked(t, form.front, address, 1) {
			if !found.isOf(profiles.Gone, form.front) || time.Now().After(deadline) {
				t.Fatalf("%s: found %+v, expected the whole again", form.name, found)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func TestSaysThatAMemberIsLate(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	members := addressesOf(membersOf(t, 5))
	members[4] = silent.Addr().String()
	for _, form := range forms {
		found := asked(t, form.front, front(t, form.way, 200*time.Millisecond, members...), 1)
		if !found.isOf(profiles.Late, form.front) {
			t.Errorf("%s: found %+v", form.name, found)
		}
	}
}

func TestGivesNothingOfAProfileThatIsNotWhole(t *testing.T) {
	members := addressesOf(membersOf(t, 5))
	for name, some := range map[string][]string{
		"one is missing": members[:4], "one is there twice": {members[0], members[1], members[1], members[3], members[4]},
	} {
		for _, form := range forms {
			if found := asked(t, form.front, front(t, form.way, limit, some...), 1); !found.isOf(profiles.Gone, form.front) {
				t.Errorf("%s, %s: found %+v", form.name, name, found)
			}
		}
	}
}

func TestRefusesIdsAlikeInEveryForm(t *testing.T) {
	members := addressesOf(membersOf(t, 5))
	for _, form := range forms {
		address := front(t, form.way, limit, members...)
		for id, kind := range map[int32]profiles.Kind{0: profiles.Invalid, -5: profiles.Invalid, profiles.Users + 1: profiles.Unknown} {
			if found := asked(t, form.front, address, id); !found.isOf(kind, form.front) {
				t.Errorf("%s, id %d: found %+v", form.name, id, found)
			}
		}
	}
}

func TestTellsTheWorstOfSeveralFailures(t *testing.T) {
	late, gone := profiles.Failure{Kind: profiles.Late}, profiles.Failure{Kind: profiles.Gone, Text: "first"}
	unknown, other := profiles.Failure{Kind: profiles.Unknown}, profiles.Failure{Kind: profiles.Gone, Text: "second"}
	for _, one := range []struct {
		failures []error
		told     error
	}{{[]error{nil, nil}, nil}, {[]error{unknown, nil, gone, other}, gone}, {[]error{gone, late, unknown}, late}} {
		if found := worst(one.failures); found != one.told {
			t.Errorf("%v: found %v", one.failures, found)
		}
	}
}

func TestAsksAllMembersAtOnceAndNotOneAfterTheOther(t *testing.T) {
	var arrived atomic.Int32
	all := make(chan struct{})
	one := func(ctx context.Context, _ int32) ([]profiles.Part, error) {
		if arrived.Add(1) == 5 {
			close(all)
		}
		select {
		case <-all:
			return nil, nil
		case <-ctx.Done():
			return nil, profiles.Failure{Kind: profiles.Late}
		}
	}
	asking := &gateway{members: []way{one, one, one, one, one}, limit: limit}
	if _, _, err := asking.profile(t.Context(), 1); profiles.FailureOf(err).Kind == profiles.Late {
		t.Error("not all were asked while the first waited")
	}
}

func TestShowsWhatTheMembersTookAndWhatItAdds(t *testing.T) {
	const requests = 20
	for _, form := range forms {
		members := addressesOf(membersOf(t, 5))
		address := front(t, form.way, limit, members...)
		for range requests {
			asked(t, form.front, address, 1)
		}
		sums := map[string]float64{}
		for _, name := range []string{"request", "slowest_part", "parts_sum", "own"} {
			count, sum := figureAt(t, address, "gateway_"+name+"_seconds")
			if count != requests || sum <= 0 {
				t.Errorf("%s: %s has %v of %d requests, %v s in all", form.name, name, count, requests, sum)
			}
			sums[name] = sum
		}
		if sums["request"] < sums["slowest_part"] || sums["parts_sum"] < sums["slowest_part"] || sums["parts_sum"] > 5*sums["slowest_part"] {
			t.Errorf("%s: found %v", form.name, sums)
		}
		for _, at := range members {
			if count, _ := figureAt(t, at, "part_request_seconds"); count < requests {
				t.Errorf("%s: a member counts %v requests", form.name, count)
			}
		}
	}
}

// figureAt reads a histogram of a program.
func figureAt(t *testing.T, address, name string) (count, sum float64) {
	t.Helper()
	_, page := got(t, address, "/metrics")
	read := func(what string) float64 {
		found := regexp.MustCompile(`(?m)^` + name + what + ` (\S+)$`).FindSubmatch(page)
		if found == nil {
			t.Fatalf("no %s%s in %s", name, what, page)
		}
		number, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	return read("_count"), read("_sum")
}

func TestRefusesAWayThatThereIsNot(t *testing.T) {
	if _, _, err := waysTo([]string{"127.0.0.1:9201"}, "nats"); err == nil || !strings.Contains(err.Error(), "grpc or http") {
		t.Errorf("found %v", err)
	}
}
