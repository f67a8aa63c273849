package program

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
)

func TestTakesSettingsOverTheirDefaultsAndNoOthers(t *testing.T) {
	given := map[string]string{"PORT": "1", "OTHER": "2"}
	settings := settingsOf(Settings{"HOST": "here", "PORT": "9"}, func(name string) (string, bool) {
		value, found := given[name]
		return value, found
	})
	if len(settings) != 2 || settings["HOST"] != "here" || settings["PORT"] != "1" {
		t.Errorf("found %v", settings)
	}
}

func TestNamesTheSettingOfAPortThatItCannotTake(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	for value, expected := range map[string]string{
		port: "address already in use; choose another HOST or PORT_GRPC", "0": "PORT_GRPC", "65536": "PORT_GRPC", "x": "PORT_GRPC", "": "PORT_GRPC",
	} {
		_, err := Settings{"HOST": "127.0.0.1", "PORT_GRPC": value}.Listen("PORT_GRPC")
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%q: %v, expected %q", value, err, expected)
		}
	}
}

func TestIsHealthyWhileItsPortTakesConnections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := Program{Name: "asked"}
	settings := Settings{"HOST": "0.0.0.0", "PORT": strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)}
	if err := run(asked, settings, []string{"--health"}); err != nil {
		t.Error(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := run(asked, settings, []string{"--health"}); !errors.Is(err, errUnhealthy) {
		t.Errorf("expected it to be unhealthy, found %v", err)
	}
}

func TestEndsAllWorksWithTheFirstThatFails(t *testing.T) {
	failure := errors.New("failed")
	err := All(t.Context(),
		func(ctx context.Context) error { <-ctx.Done(); return nil },
		func(context.Context) error { return failure },
	)
	if !errors.Is(err, failure) {
		t.Errorf("found %v", err)
	}
}
