package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test's own program be the plant, and the service.
func TestMain(m *testing.M) {
	switch os.Getenv("PLANT_TEST") {
	case "plant":
		os.Setenv("PLANT_TEST", "service")
		before := ownCPU()
		code, err := plant(os.Getenv("PLANT_SHARE"), []string{os.Args[0]})
		if err != nil {
			fail(err.Error())
		}
		os.Stdout.WriteString(strconv.FormatInt(int64(ownCPU()-before), 10))
		os.Exit(code)
	case "service":
		os.Setenv("PLANT_TEST", "worker")
		burnUntil(200 * time.Millisecond)
		worker := exec.Command(os.Args[0])
		if worker.Run() != nil {
			os.Exit(1)
		}
		os.Exit(7)
	case "worker":
		burnUntil(1200 * time.Millisecond)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestPlantTakesItsShareOfAProgramAndOfWhatItStarts(t *testing.T) {
	for _, share := range []float64{0.05, 0.5} {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), "PLANT_TEST=plant", "PLANT_SHARE="+strconv.FormatFloat(share, 'f', -1, 64))
		var printed, errors bytes.Buffer
		command.Stdout, command.Stderr = &printed, &errors
		_ = command.Run()
		if code := command.ProcessState.ExitCode(); code != 7 {
			t.Fatalf("ended with exit code %d instead of the program's: %s", code, errors.String())
		}
		took, err := strconv.ParseInt(strings.TrimSpace(printed.String()), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		// All CPU time is that of the plant, the service and its worker.
		state := command.ProcessState
		others := state.UserTime() + state.SystemTime() - time.Duration(took)
		if got := float64(took) / float64(others); math.Abs(got-share) > 0.2*share+0.01 {
			t.Errorf("took %.3f of the CPU time of the program instead of %.3f", got, share)
		}
	}
}

func TestPlantRefusesWhatIsNoShareOrNoCommand(t *testing.T) {
	for _, one := range [][]string{{"0", "true"}, {"-1", "true"}, {"x", "true"}, {"0.1"}} {
		if _, err := plant(one[0], one[1:]); err == nil {
			t.Errorf("%v is taken", one)
		}
	}
}
