package main

import "time"

// user is one of a load's users, who sends the next request after the last answer and the think time.
type user struct {
	// number identifies the user: a returning one has the same.
	number int
	// begin and until limit the time in which the user sends; a request in flight at its end is awaited.
	begin, until time.Time
	// requests is 0 for as many as are answered in the time.
	requests uint64
	// think is the time from an answer to the next request.
	think time.Duration
}

// usersOf returns the users of a load: those of its stages, or those who begin one after another over its ramp. Users whose turn would
// come after its time are left out.
func usersOf(l load, start time.Time) []user {
	if l.Kind == "stages" {
		return stagedUsers(l, start)
	}
	length, ramp := duration(l.Seconds), duration(l.RampSeconds)
	users := make([]user, 0, l.Workers)
	for i := range l.Workers {
		begin := time.Duration(float64(ramp) * float64(i) / float64(l.Workers))
		if begin <= length {
			users = append(users, user{
				number: i, begin: start.Add(begin), until: start.Add(length), requests: uint64(l.RequestsPerUser),
			})
		}
	}
	return users
}

// isDone is true if a user with n responses sends no further request.
func (u user) isDone(answered uint64) bool {
	return (u.requests > 0 && answered >= u.requests) || time.Now().After(u.until)
}

// thinks waits for the think time, but not beyond the user's end. The sleep may be late by a millisecond.
func (u user) thinks() {
	time.Sleep(min(u.think, time.Until(u.until)))
}

// patient is the vegeta.Pacer of one user. vegeta calls it while the previous request is still in flight, and would then send one more after the
// time is up; so it waits for that response itself. The sleep before the first request may be late by a millisecond, which does not matter here,
// and avoids a kernel timer for each user.
type patient struct {
	user     user
	answered <-chan struct{}
}

// Pace waits until the user sends its next request; stop is true after the last one.
func (p patient) Pace(_ time.Duration, hits uint64) (wait time.Duration, stop bool) {
	if hits > 0 {
		<-p.answered
		p.user.thinks()
	} else {
		time.Sleep(time.Until(p.user.begin))
	}
	return 0, p.user.isDone(hits)
}

// Rate is part of vegeta's interface; nothing reads it during an attack.
func (patient) Rate(time.Duration) float64 { return 0 }
