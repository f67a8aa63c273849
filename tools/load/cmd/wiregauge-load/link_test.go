package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// dialed returns both ends of a connection over a link; the service's end is unwrapped.
func dialed(t *testing.T, n network) (near, there net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	over, err := newStage().linkTo(listener.Addr().String(), &n)
	if err != nil {
		t.Fatal(err)
	}
	near, err = over.dial(context.Background(), func() (net.Conn, error) { return net.Dial("tcp", listener.Addr().String()) })
	if err != nil {
		t.Fatal(err)
	}
	there, err = listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = near.Close()
		_ = there.Close()
	})
	return near, there
}

func TestALinkDeliversAllInOrderAndThenTheEnd(t *testing.T) {
	sent := bytes.Repeat([]byte("0123456789abcdef"), window/8)
	for name, n := range map[string]network{"a way": {RTTMs: 4}, "a way that varies": {RTTMs: 4, JitterMs: 2}, "a bandwidth": {BandwidthMbit: 1000}} {
		for _, isUp := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				from, to := dialed(t, n)
				if !isUp {
					from, to = to, from
				}
				go func() {
					_, _ = from.Write(sent)
					_ = from.Close()
				}()
				if got, err := io.ReadAll(to); err != nil || !bytes.Equal(got, sent) {
					t.Errorf("%d of %d bytes: %v", len(got), len(sent), err)
				}
			})
		}
	}
}

func TestALinkTakesItsTimeEitherWay(t *testing.T) {
	near, there := dialed(t, far)
	for range 3 {
		for _, ends := range [][2]net.Conn{{near, there}, {there, near}} {
			began := time.Now()
			if _, err := ends[0].Write([]byte("a")); err != nil {
				t.Fatal(err)
			}
			if _, err := ends[1].Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < far.roundTrip()/2 {
				t.Errorf("%v", took)
			}
		}
	}
}

func TestWhatAServiceSaysFirstTakesTheRestOfTwoRoundTrips(t *testing.T) {
	began := time.Now()
	near, there := dialed(t, far)
	if _, err := there.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := near.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 2*far.roundTrip() {
		t.Errorf("%v", took)
	}
}

func TestConnectionsShareTheBandwidthOfTheirLink(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	const size, connections = 50_000, 3
	s := newStage()
	began := time.Now()
	var sending sync.WaitGroup
	for range connections {
		over, err := s.linkTo(listener.Addr().String(), &network{BandwidthMbit: 8})
		if err != nil {
			t.Fatal(err)
		}
		near, err := over.dial(context.Background(), func() (net.Conn, error) { return net.Dial("tcp", listener.Addr().String()) })
		if err != nil {
			t.Fatal(err)
		}
		there, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		sending.Add(1)
		go func() {
			defer sending.Done()
			_, _ = near.Write(make([]byte, size))
			_ = near.Close()
			if got, err := io.ReadAll(there); len(got) != size {
				t.Errorf("%d bytes: %v", len(got), err)
			}
		}()
	}
	sending.Wait()
	// 8 Mbit/s are 1,000,000 bytes per second.
	if took, least := time.Since(began), connections*size*time.Microsecond; took < least {
		t.Errorf("%v, and it takes %v at least", took, least)
	}
}

func TestJitterIsWithinItsBoundsAndNotAlwaysTheSame(t *testing.T) {
	l := &link{network: network{RTTMs: 40, JitterMs: 10}}
	ways := []time.Duration{}
	for range 200 {
		began := time.Now()
		ways = append(ways, l.arrivalHere(1).Sub(began))
	}
	// The machine's own time is added to both.
	shortest, longest := slices.Min(ways), slices.Max(ways)
	if shortest < 10*time.Millisecond || longest-shortest < 15*time.Millisecond {
		t.Errorf("from %v to %v", shortest, longest)
	}
}

func TestAReadOverALinkEndsAtItsDeadline(t *testing.T) {
	near, _ := dialed(t, network{RTTMs: 1})
	if err := near.SetReadDeadline(time.Now().Add(5 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestAWriteOverALinkThatIsFullEndsAtItsDeadline(t *testing.T) {
	bell, err := theBell()
	if err != nil {
		t.Fatal(err)
	}
	inner, there := net.Pipe()
	defer there.Close()
	near := newDistant(inner, &link{network: network{RTTMs: 60_000}, bell: bell})
	if err := near.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := near.Write(make([]byte, 2*window)); !errors.Is(err, os.ErrDeadlineExceeded) || n != window {
		t.Errorf("%d bytes: %v", n, err)
	}
}

func TestAClosedEndOfALinkReadsAndWritesNothing(t *testing.T) {
	near, _ := dialed(t, network{RTTMs: 1})
	reading := make(chan error)
	go func() {
		_, err := near.Read(make([]byte, 1))
		reading <- err
	}()
	_ = near.Close()
	if err := <-reading; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, err := near.Write([]byte("a")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestAServiceThatIsGoneIsReportedToTheWriter(t *testing.T) {
	near, there := dialed(t, network{RTTMs: 1})
	_ = there.Close()
	until := time.Now().Add(20 * time.Second)
	for {
		if _, err := near.Write(make([]byte, chunk)); err != nil {
			return
		}
		if time.Now().After(until) {
			t.Fatal("it writes on")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestADialThatIsGivenUpEndsAtOnce(t *testing.T) {
	over, err := newStage().linkTo("127.0.0.1:9", &network{RTTMs: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := over.dial(ctx, func() (net.Conn, error) { return nil, nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestABellRingsInOrderAndNeverEarly(t *testing.T) {
	bell, err := newBell()
	if err != nil {
		t.Fatal(err)
	}
	rung := make(chan int, 4)
	began := time.Now()
	for place, after := range []time.Duration{30, 10, 20, -5} {
		at := began.Add(after * time.Millisecond)
		bell.at(at, func() {
			if time.Now().Before(at) {
				t.Errorf("%d is early", place)
			}
			rung <- place
		})
	}
	found := []int{<-rung, <-rung, <-rung, <-rung}
	if !slices.Equal(found, []int{3, 1, 2, 0}) {
		t.Errorf("%v", found)
	}
}
