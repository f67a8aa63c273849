package main

import (
	"net"
	"os"
	"sync"
	"time"
)

// window is the number of bytes that may be in transit on a lane, which corresponds to the buffers of a connection.
const window = 4 << 20

// parcel is data sent at once with its arrival time; or the end of the data, with its reason.
type parcel struct {
	data []byte
	at   time.Time
	end  error
}

// lane is one direction of a connection to a distant service: data arrives in the same order, each parcel at its time.
type lane struct {
	bell    *bell
	lock    sync.Mutex
	changed *sync.Cond
	parcels []parcel
	held    int
	last    time.Time
	// noPut and noTake are the reasons that nothing can be put in, or taken out, any more; nil while it can.
	noPut, noTake error
	// putBy and takeBy are deadlines, none if zero.
	putBy, takeBy time.Time
}

func newLane(b *bell) *lane {
	l := &lane{bell: b}
	l.changed = sync.NewCond(&l.lock)
	return l
}

// put sends a parcel. Data waits while too much is in transit, until the deadline.
func (l *lane) put(p parcel) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	isData := p.end == nil
	for isData && l.noPut == nil && l.held >= window && !isOver(l.putBy) {
		l.changed.Wait()
	}
	if l.noPut != nil {
		return l.noPut
	}
	if isData && isOver(l.putBy) {
		return os.ErrDeadlineExceeded
	}
	if p.at.Before(l.last) {
		// A faster parcel waits for those sent before it.
		p.at = l.last
	}
	l.last, l.held = p.at, l.held+len(p.data)
	l.parcels = append(l.parcels, p)
	l.bell.at(p.at, l.wake)
	return nil
}

// take returns arrived data, and waits for it.
func (l *lane) take(buffer []byte) (int, error) {
	if len(buffer) == 0 {
		return 0, nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	for {
		switch {
		case l.noTake != nil:
			return 0, l.noTake
		case isOver(l.takeBy):
			return 0, os.ErrDeadlineExceeded
		case len(l.parcels) > 0 && isOver(l.parcels[0].at):
			return l.unpack(buffer)
		}
		l.changed.Wait()
	}
}

// unpack fills a buffer with the arrived parcels.
func (l *lane) unpack(buffer []byte) (int, error) {
	filled := 0
	for len(l.parcels) > 0 && isOver(l.parcels[0].at) && filled < len(buffer) {
		first := &l.parcels[0]
		if first.end != nil {
			break
		}
		n := copy(buffer[filled:], first.data)
		filled, first.data = filled+n, first.data[n:]
		if len(first.data) == 0 {
			*first = parcel{}
			l.parcels = l.parcels[1:]
		}
	}
	if filled == 0 {
		return 0, l.parcels[0].end
	}
	if l.held >= window {
		l.changed.Broadcast()
	}
	l.held -= filled
	return filled, nil
}

// close releases all waiting callers with an error.
func (l *lane) close(noPut, noTake error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.noPut == nil {
		l.noPut = noPut
	}
	if l.noTake == nil {
		l.noTake = noTake
	}
	l.changed.Broadcast()
}

func (l *lane) wake() {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.changed.Broadcast()
}

// setPutBy and setTakeBy set a deadline; none if it is zero.
func (l *lane) setPutBy(by time.Time)  { l.setDeadline(&l.putBy, by) }
func (l *lane) setTakeBy(by time.Time) { l.setDeadline(&l.takeBy, by) }

func (l *lane) setDeadline(deadline *time.Time, by time.Time) {
	l.lock.Lock()
	*deadline = by
	l.lock.Unlock()
	if by.IsZero() {
		l.wake()
	} else {
		l.bell.at(by, l.wake)
	}
}

// isOver returns whether an instant is past; a zero one never is.
func isOver(instant time.Time) bool {
	return !instant.IsZero() && !time.Now().Before(instant)
}

// distant is a connection to a distant service. Data takes its time in both directions.
type distant struct {
	net.Conn
	link     *link
	up, down *lane
	// nearest is the earliest time of the first answer, since a service learns of a connection only when its client
	// continues.
	nearest time.Time
	closing sync.Once
}

// newDistant wraps an open connection.
func newDistant(conn net.Conn, l *link) *distant {
	d := &distant{Conn: conn, link: l, up: newLane(l.bell), down: newLane(l.bell), nearest: time.Now().Add(l.network.roundTrip())}
	go d.carryUp()
	go d.carryDown()
	return d
}

// chunk is the maximum number of bytes that are sent, or read, at once.
const chunk = 16 << 10

// Write returns once all data is in transit.
func (d *distant) Write(data []byte) (int, error) {
	sent := 0
	for sent < len(data) {
		next := min(len(data)-sent, chunk)
		// The caller may reuse the bytes after the call.
		own := append([]byte(nil), data[sent:sent+next]...)
		if err := d.up.put(parcel{data: own, at: d.link.arrivalThere(next)}); err != nil {
			return sent, err
		}
		sent += next
	}
	return sent, nil
}

func (d *distant) Read(buffer []byte) (int, error) { return d.down.take(buffer) }

// Close sends the end after all written data, and reads nothing more.
func (d *distant) Close() error {
	d.closing.Do(func() {
		// Data that can no longer be sent is not awaited.
		lost := d.up.put(parcel{end: net.ErrClosed, at: d.link.arrivalThere(0)})
		d.up.close(net.ErrClosed, lost)
		d.down.close(net.ErrClosed, net.ErrClosed)
	})
	return nil
}

func (d *distant) SetDeadline(by time.Time) error {
	d.up.setPutBy(by)
	d.down.setTakeBy(by)
	return nil
}

func (d *distant) SetReadDeadline(by time.Time) error {
	d.down.setTakeBy(by)
	return nil
}

func (d *distant) SetWriteDeadline(by time.Time) error {
	d.up.setPutBy(by)
	return nil
}

// carryUp writes to the service until the end, and closes the connection there. Bytes that the service no longer reads are lost, and the writer
// gets an error; bytes that it sent may still be read.
func (d *distant) carryUp() {
	buffer := make([]byte, chunk)
	for isTaken := true; ; {
		n, err := d.up.take(buffer)
		if err != nil {
			_ = d.Conn.Close()
			return
		}
		if !isTaken {
			continue
		}
		if _, err := d.Conn.Write(buffer[:n]); err != nil {
			isTaken = false
			d.up.close(err, nil)
		}
	}
}

// carryDown reads the data of the service, until it ends.
func (d *distant) carryDown() {
	buffer := make([]byte, chunk)
	for {
		n, err := d.Conn.Read(buffer)
		if n > 0 {
			own := append([]byte(nil), buffer[:n]...)
			if failed := d.down.put(parcel{data: own, at: d.arrivalHere(n)}); failed != nil {
				return
			}
		}
		if err != nil {
			_ = d.down.put(parcel{end: err, at: d.arrivalHere(0)})
			return
		}
	}
}

func (d *distant) arrivalHere(bytes int) time.Time {
	at := d.link.arrivalHere(bytes)
	if at.Before(d.nearest) {
		return d.nearest
	}
	return at
}
