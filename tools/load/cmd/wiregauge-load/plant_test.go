package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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
		code, err := plant(os.Getenv("PLANT_SIZE"), []string{os.Args[0]})
		if err != nil {
			fail(err.Error())
		}
		fmt.Printf("%d %d", ownCPU()-before, mostResidentBytes())
		os.Exit(code)
	case "service":
		if strings.HasPrefix(os.Getenv("PLANT_SIZE"), "leak=") {
			serveItself(leakedRequests)
			os.Exit(7)
		}
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

const leakedRequests = 5000

// serveItself answers a number of requests over a persistent connection.
func serveItself(requests int) {
	service := httptest.NewServer(http.NotFoundHandler())
	for range requests {
		answer, err := http.Get(service.URL)
		if err != nil {
			os.Exit(1)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	// Waits for the next reading.
	time.Sleep(plantLook + 4*leakPause)
}

// mostResidentBytes returns the peak since the program was started; that of Rusage may be from the process that started it.
func mostResidentBytes() (bytes int64) {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); err == nil {
			return bytes * 1024
		}
	}
	return 0
}

// runPlanted runs this program as the plant of itself; it returns the plant's output, its CPU time and memory, and its end.
func runPlanted(t *testing.T, size string) (time.Duration, int64, *os.ProcessState) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PLANT_TEST=plant", "PLANT_SIZE="+size)
	var printed, errors bytes.Buffer
	command.Stdout, command.Stderr = &printed, &errors
	_ = command.Run()
	if code := command.ProcessState.ExitCode(); code != 7 {
		t.Fatalf("%s ended with exit code %d instead of the program's: %s", size, code, errors.String())
	}
	var took time.Duration
	var held int64
	// A plant that became the program printed nothing.
	_, _ = fmt.Sscanf(printed.String(), "%d %d", &took, &held)
	return took, held, command.ProcessState
}

func TestPlantTakesItsShareOfAProgramAndOfWhatItStarts(t *testing.T) {
	for size, share := range map[string]float64{"5%": 0.05, "50%": 0.5} {
		took, _, state := runPlanted(t, size)
		// All CPU time is from the plant, the service and its worker.
		others := state.UserTime() + state.SystemTime() - took
		if got := float64(took) / float64(others); math.Abs(got-share) > 0.2*share+0.01 {
			t.Errorf("took %.3f of the CPU time of the program instead of %.3f", got, share)
		}
	}
}

func TestPlantHoldsMemory(t *testing.T) {
	_, held, _ := runPlanted(t, "80MB")
	if held < 76e6 || held > 96e6 {
		t.Errorf("allocated %d bytes instead of 80 MB", held)
	}
}

func TestPlantRetainsMemoryForEachRequest(t *testing.T) {
	_, little, _ := runPlanted(t, "leak=1B")
	_, much, _ := runPlanted(t, "leak=4000B")
	if each := float64(much-little) / leakedRequests; each < 3600 || each > 4600 {
		t.Errorf("retained %.0f bytes for each request instead of 4000", each)
	}
}

func TestPlantDelaysTheStart(t *testing.T) {
	before := time.Now()
	_, _, _ = runPlanted(t, "3000ms")
	// The program alone works for less.
	if took := time.Since(before); took < 3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestPlantRefusesWhatIsNoSizeOrNoCommand(t *testing.T) {
	for _, one := range [][]string{{"0%", "true"}, {"400B", "true"}, {"leak=5%", "true"}, {"-1%", "true"}, {"x", "true"}, {"5", "true"}, {"NaNMB", "true"}, {"0.1%"}} {
		if _, err := plant(one[0], one[1:]); err == nil {
			t.Errorf("%v is taken", one)
		}
	}
}
