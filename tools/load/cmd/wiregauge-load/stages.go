package main

import (
	"errors"
	"time"
)

// userStage is a time in which the number of users changes linearly from its previous value, 0 at first, to another.
type userStage struct {
	Seconds float64 `json:"seconds"`
	Users   int     `json:"users"`
}

// mostUsers returns the maximum number of concurrent users.
func (l load) mostUsers() int {
	most := 0
	for _, s := range l.Stages {
		most = max(most, s.Users)
	}
	return most
}

func (l load) checkStages() error {
	for _, s := range l.Stages {
		if s.Seconds < 0 || s.Users < 0 {
			return errors.New("the time and the number of users of a stage must not be negative")
		}
	}
	if l.mostUsers() == 0 {
		return errors.New("at least one stage must have users")
	}
	return nil
}

// stagedUsers returns the users of a load's stages: user n, from 0, is present while the number of users is above n. A user who
// leaves and returns is in the list again, with the same number. Users present at the end leave then.
func stagedUsers(l load, start time.Time) []user {
	var users []user
	came := make([]time.Time, l.mostUsers())
	leave := func(n int, at time.Time) {
		users = append(users, user{number: n, begin: came[n], until: at, think: duration(l.ThinkSeconds)})
	}
	at, before := start, 0
	for _, s := range l.Stages {
		step := duration(s.Seconds) / time.Duration(max(s.Users-before, before-s.Users, 1))
		for n := before; n < s.Users; n++ {
			came[n] = at.Add(time.Duration(n-before) * step)
		}
		for n := before - 1; n >= s.Users; n-- {
			leave(n, at.Add(time.Duration(before-n)*step))
		}
		at, before = at.Add(duration(s.Seconds)), s.Users
	}
	for n := range before {
		leave(n, at)
	}
	return users
}
