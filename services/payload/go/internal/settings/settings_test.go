package settings

import (
	"slices"
	"strings"
	"testing"
)

func reading(variables map[string]string) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	}
}

func TestRefusesWhatNoServiceInPythonTakes(t *testing.T) {
	for name, values := range map[string][]string{
		"HOST":               {""},
		"PORT":               {"", "x", "1.5", "-1", "+1", " 1", "1_0", "٥", "0", "65536", strings.Repeat("9", 5_000)},
		"CACHE_COUNTS":       {"", ",", "1,", ",1", "0", "x", "2,1", "1,1", "1 ,2", "1000001", strings.Repeat("1", 2_000)},
		"COMPRESSION":        {"", "on", "GZIP", "br"},
		"MAX_ANSWER_MIB":     {"", "0", "None", "2048"},
		"KEEP_ALIVE_SECONDS": {"-1", "3601"},
		"GRACEFUL_SECONDS":   {"0", "301", "1s"},
		"REFLECTION":         {"", "true", "ON"},
		"EXTRA_WORK":         {"", "-1", "+5", "nan", "Inf", "1e1", "100.1", "0x1p1", ".5", "5."},
	} {
		for _, value := range values {
			_, err := OverGRPC(reading(map[string]string{name: value, "BENCHMARK": "1"}))
			if err == nil || !strings.HasPrefix(err.Error(), name+" is ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s=%q: %v", name, value, err)
			}
		}
	}
}

func TestRefusesToBeSlowOutsideABenchmark(t *testing.T) {
	for _, benchmark := range []string{"", "0", "true"} {
		_, err := OverHTTP(reading(map[string]string{"EXTRA_WORK": "5", "BENCHMARK": benchmark}))
		if err == nil || !strings.Contains(err.Error(), "set BENCHMARK=1 as well") {
			t.Errorf("BENCHMARK=%q: %v", benchmark, err)
		}
	}
}

func TestPrintedSettingsGiveTheSameSettingsAgain(t *testing.T) {
	variables := map[string]string{"CACHE_COUNTS": "1,7,100000", "COMPRESSION": "gzip", "MAX_ANSWER_MIB": "3", "EXTRA_WORK": "2.5", "BENCHMARK": "1"}
	first, err := OverGRPC(reading(variables))
	if err != nil {
		t.Fatal(err)
	}
	first.Written["BENCHMARK"] = "1"
	second, err := OverGRPC(reading(first.Written))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.CacheCounts, second.CacheCounts) || second.MostObjects() != 100_000 {
		t.Errorf("counts %v and %v", first.CacheCounts, second.CacheCounts)
	}
	if !second.Gzip || second.MaxAnswerBytes(0) != 3<<20 || second.ExtraWork != 2.5 || second.Port != 50_051 || !second.Reflection {
		t.Errorf("read %+v", second)
	}
}
