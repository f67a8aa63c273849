package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// crowd returns the number of users present at a time after the start.
func crowd(users []user, start time.Time, after float64) int {
	at, there := start.Add(duration(after)), 0
	for _, u := range users {
		if !at.Before(u.begin) && at.Before(u.until) {
			there++
		}
	}
	return there
}

func TestStagesAreStraightLinesFromOneNumberOfUsersToTheNext(t *testing.T) {
	start := time.Unix(1000, 0)
	// Stages of the study of the suite layers.
	study := []userStage{{30, 100}, {60, 500}, {30, 1000}, {30, 0}}
	users := stagedUsers(load{Stages: study}, start)
	for after, want := range map[float64]int{15.1: 51, 30.05: 101, 60.05: 301, 90.01: 501, 105.01: 751, 120.001: 1000, 135.01: 500, 149: 34, 150: 0} {
		if there := crowd(users, start, after); math.Abs(float64(there-want)) > 1 {
			t.Errorf("%d users after %v s, and %d are due", there, after, want)
		}
	}
	if len(users) != 1000 {
		t.Errorf("%d users", len(users))
	}
}

func TestWhoComesBackHasTheSameNumber(t *testing.T) {
	start := time.Unix(1000, 0)
	users := stagedUsers(load{ThinkSeconds: 0.3, Stages: []userStage{{0, 3}, {10, 3}, {2, 1}, {4, 3}, {5, 3}}}, start)
	spans := map[int]int{}
	for _, u := range users {
		spans[u.number]++
		if u.think != 300*time.Millisecond {
			t.Errorf("user %d thinks for %v", u.number, u.think)
		}
	}
	if spans[0] != 1 || spans[1] != 2 || spans[2] != 2 {
		t.Errorf("%v", spans)
	}
	for after, want := range map[float64]int{0: 3, 9.9: 3, 11.5: 2, 12.1: 2, 13.9: 2, 14.1: 3, 20.9: 3, 21: 0} {
		if there := crowd(users, start, after); there != want {
			t.Errorf("%d users after %v s, and %d are due", there, after, want)
		}
	}
}

// stageLoads returns loads of users who come and go, against services with a known service time.
func stageLoads(t *testing.T, pause time.Duration, change func(l *load)) map[string]struct {
	load     blockLoad
	received *received
} {
	t.Helper()
	return userLoads(t, pause, func(l *load) {
		l.Kind, l.Target.Requests = "stages", l.Target.Requests[:1]
		change(l)
	})
}

// Little's law: as many requests as users have time for, each of which takes the response time and the think time. Sleeps of a
// busy machine may be late, and never early.
func TestUsersWhoThinkSendAsManyRequestsAsLittlesLawSays(t *testing.T) {
	const served, think = 20 * time.Millisecond, 80 * time.Millisecond
	stages := []userStage{{0.5, 20}, {1.5, 20}, {0.5, 0}}
	loads := stageLoads(t, served, func(l *load) {
		l.Workers, l.Seconds, l.Stages, l.ThinkSeconds = 20, 2.5, stages, think.Seconds()
	})
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			answer := runLoads(t, newStage(), test.load)
			records := recordsOf(t, test.load)
			userTime := 0.0
			for _, u := range stagedUsers(test.load.Load, time.Unix(0, answer.StartedNs)) {
				userTime += u.until.Sub(u.begin).Seconds()
			}
			cycle := think.Seconds()
			for _, r := range records {
				if r.latency < served {
					t.Fatalf("an answer within %v", r.latency)
				}
				cycle += r.latency.Seconds() / float64(len(records))
			}
			// The end interrupts one cycle of each of the 20 users.
			law := userTime / cycle
			if sent := float64(len(records)); sent > law+20 || sent < 0.8*law {
				t.Errorf("%v requests in %v s of users who take %v s for each: %v are due", sent, userTime, cycle, law)
			}
		})
	}
}

// The first user leaves and returns at once, usually while an answer of 60 ms is pending.
func TestEachUserWhoThinksHasAConnectionOfTheirOwn(t *testing.T) {
	test := stageLoads(t, 60*time.Millisecond, func(l *load) {
		l.Workers, l.Seconds, l.Stages, l.ThinkSeconds = 9, 0.5, []userStage{{0, 9}, {0.2, 9}, {0.1, 0}, {0.1, 9}, {0.1, 9}}, 0.02
	})["vegeta"]
	runLoads(t, newStage(), test.load)
	if connections := len(test.received.connections); connections != 9 {
		t.Errorf("%d connections of 9 users, some of whom left and came back", connections)
	}
}

func TestNobodySendsAfterTheLastStage(t *testing.T) {
	loads := stageLoads(t, 50*time.Millisecond, func(l *load) {
		l.Workers, l.Seconds, l.Stages, l.ThinkSeconds = 5, 0.3, []userStage{{0, 5}, {0.3, 5}}, 30
	})
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			answer := runLoads(t, newStage(), test.load)
			if length := time.Duration(answer.EndedNs - answer.StartedNs); len(recordsOf(t, test.load)) != 5 || length > 10*time.Second {
				t.Errorf("%d records in %v of 5 users who think for 30 s", len(recordsOf(t, test.load)), length)
			}
		})
	}
}

func TestStagesOfALoopShareTheirUsers(t *testing.T) {
	loads := loops(t, 4*time.Millisecond, func(l *load) {
		l.Kind, l.Stages, l.ThinkSeconds = "stages", []userStage{{0.1, 6}, {0.3, 6}}, 0.01
	})
	for tool, each := range loads {
		t.Run(tool, func(t *testing.T) {
			runLoads(t, newStage(), each...)
			slow, a, b := len(recordsOf(t, each[0])), len(recordsOf(t, each[1])), len(recordsOf(t, each[2]))
			if slow < 5 || math.Abs(float64(a-2*slow)) > 2 || math.Abs(float64(b-slow)) > 1 {
				t.Errorf("%d, %d and %d requests, and their weights are 1, 2 and 1", slow, a, b)
			}
		})
	}
}

func TestStagesThatSayNothingAreRefused(t *testing.T) {
	for _, test := range []struct {
		want   string
		stages []userStage
	}{
		{"at least one stage must have users", []userStage{{5, 0}}},
		{"must not be negative", []userStage{{-1, 5}}},
		{"must not be negative", []userStage{{1, 5}, {1, -5}}},
	} {
		one := stageLoads(t, 0, func(l *load) { l.Stages = test.stages })["ghz"]
		if failure := newStage().runNow(request{Loads: []blockLoad{one.load}}).Results[0].Error; !strings.Contains(failure, test.want) {
			t.Errorf("%q", failure)
		}
	}
}
