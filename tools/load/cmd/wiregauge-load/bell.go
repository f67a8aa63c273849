package main

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// bell wakes any number of waiters, each at its own instant, by one alarm.
type bell struct {
	alarm *alarm
	lock  sync.Mutex
	rings rings
}

// ring is called at an instant. It must not block.
type ring struct {
	at   time.Time
	wake func()
}

// theBell is created on demand, and rings until the program ends.
var theBell = sync.OnceValues(newBell)

func newBell() (*bell, error) {
	alarm, err := newAlarm()
	if err != nil {
		return nil, err
	}
	b := &bell{alarm: alarm}
	go b.serve()
	return b, nil
}

// at calls `wake` at an instant, or soon after; at once if it is past.
func (b *bell) at(instant time.Time, wake func()) {
	b.lock.Lock()
	heap.Push(&b.rings, ring{instant, wake})
	if b.rings[0].at.Equal(instant) {
		b.set()
	}
	b.lock.Unlock()
}

// set sets the alarm to the next instant. A failing kernel timer is a bug of this program.
func (b *bell) set() {
	if len(b.rings) == 0 {
		return
	}
	if err := b.alarm.set(time.Until(b.rings[0].at)); err != nil {
		panic(err)
	}
}

func (b *bell) serve() {
	for {
		if err := b.alarm.rung(); err != nil {
			panic(err)
		}
		for _, wake := range b.due() {
			wake()
		}
	}
}

// due removes the rings that are due, and sets the alarm to the next one.
func (b *bell) due() []func() {
	b.lock.Lock()
	defer b.lock.Unlock()
	var due []func()
	for now := time.Now(); len(b.rings) > 0 && !b.rings[0].at.After(now); {
		due = append(due, heap.Pop(&b.rings).(ring).wake)
	}
	b.set()
	return due
}

// sleep returns after a time, or with an error once the context is over.
func (b *bell) sleep(ctx context.Context, length time.Duration) error {
	over := make(chan struct{})
	b.at(time.Now().Add(length), func() { close(over) })
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rings are a heap.Interface, the next one first.
type rings []ring

func (r rings) Len() int           { return len(r) }
func (r rings) Less(i, j int) bool { return r[i].at.Before(r[j].at) }
func (r rings) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *rings) Push(one any)      { *r = append(*r, one.(ring)) }

func (r *rings) Pop() any {
	last := len(*r) - 1
	one := (*r)[last]
	(*r)[last] = ring{}
	*r = (*r)[:last]
	return one
}
