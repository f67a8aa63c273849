package main

import "time"

// user is one of a load's users, who sends the next request as soon as the last is answered.
type user struct {
	// begin and until bound the time in which the user sends; whatever is under way at its end is waited for.
	begin, until time.Time
	// requests is 0 for as many as are answered in the time.
	requests uint64
}

// usersOf gives the users of a load, who begin one after the other over its ramp. Those whose turn would come after its time are left out.
func usersOf(l load, start time.Time) []user {
	length, ramp := duration(l.Seconds), duration(l.RampSeconds)
	users := make([]user, 0, l.Workers)
	for i := range l.Workers {
		begin := time.Duration(float64(ramp) * float64(i) / float64(l.Workers))
		if begin <= length {
			users = append(users, user{start.Add(begin), start.Add(length), uint64(l.RequestsPerUser)})
		}
	}
	return users
}

// isDone says whether a user who has had so many answers sends no further request.
func (u user) isDone(answered uint64) bool {
	return (u.requests > 0 && answered >= u.requests) || time.Now().After(u.until)
}

// patient is the vegeta.Pacer of one user. vegeta asks it while the request before is still under way, and would then send one more
// after the time is up; so it waits for that answer itself. The sleep before the first request may be late by a millisecond, which
// nothing hangs on here, and needs no timer of the kernel for each user.
type patient struct {
	user     user
	answered <-chan struct{}
}

// Pace returns when the user sends its next request, or says that there is none.
func (p patient) Pace(_ time.Duration, hits uint64) (wait time.Duration, stop bool) {
	if hits > 0 {
		<-p.answered
	} else {
		time.Sleep(time.Until(p.user.begin))
	}
	return 0, p.user.isDone(hits)
}

// Rate is what vegeta's interface asks for besides Pace; nothing reads it during an attack.
func (patient) Rate(time.Duration) float64 { return 0 }
