package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// wire reads the commands of one connection as their bytes pass. After an error it cannot be read further.
type wire interface {
	client(bytes []byte) error
	server(bytes []byte) error
	end()
}

var (
	errEncrypted = errors.New("the connection is encrypted")
	errProtocol  = errors.New("its protocol is not known")
	errTorn      = errors.New("a message is malformed")
)

// unknown is a protocol without a reader.
const unknown = "unknown"

// mostUndecided limits the first bytes that identify a protocol.
const mostUndecided = 24

// wireOf chooses a reader by the first bytes of both sides; nil while several are possible.
func wireOf(client, server []byte, count func(string)) (string, wire, error) {
	switch {
	case len(client) > 2 && client[0] == 0x16 && client[1] == 3:
		return unknown, nil, errEncrypted
	case len(server) > 4 && server[3] == 0 && (server[4] == 10 || server[4] == 0xff):
		return "mysql", newMySQL(count), nil
	case bytes.HasPrefix(server, []byte("INFO {")):
		return "nats", &nats{count: count}, nil
	case bytes.HasPrefix(client, []byte(http2Preface)):
		return "http2", newHTTP2(count), nil
	case isHTTP(client):
		return "http1", newHTTP1(count), nil
	case len(client) >= 8 && isStartOfPostgres(client):
		return "postgres", newPostgres(count), nil
	case len(client) > 1 && client[0] == '*' && isDigit(client[1]):
		return "redis", &redis{count: count}, nil
	case len(client) >= 16 && isOpOfMongo(binary.LittleEndian.Uint32(client[12:])):
		return "mongodb", newMongo(count), nil
	case len(client) >= mostUndecided || len(server) >= mostUndecided && len(client) > 0:
		return unknown, nil, errProtocol
	}
	return "", nil, nil
}

// mostHeld limits the stored beginning of a message, which contains its text.
const mostHeld = 64 << 10

// messages splits a stream into messages and keeps the first bytes of each. Size zero: the header is not complete.
type messages struct {
	header int
	// size returns the length of the whole message from its header.
	size func(header []byte) (int, error)
	// handle gets the first bytes of a message.
	handle func(message []byte) error
	held   []byte
	isOpen bool
	left   int
}

func (m *messages) write(part []byte) error {
	for len(part) > 0 {
		if !m.isOpen {
			taken := min(m.header-len(m.held), len(part))
			m.held = append(m.held, part[:taken]...)
			part = part[taken:]
			if len(m.held) < m.header {
				return nil
			}
			size, err := m.size(m.held)
			if err != nil {
				return err
			}
			if size < m.header {
				return errTorn
			}
			m.isOpen, m.left = true, size-m.header
		}
		taken := min(m.left, len(part))
		m.held = append(m.held, part[:min(taken, max(0, mostHeld-len(m.held)))]...)
		m.left -= taken
		part = part[taken:]
		if m.left == 0 {
			message := m.held
			m.held, m.isOpen = m.held[:0], false
			if err := m.handle(message); err != nil {
				return err
			}
		}
	}
	return nil
}

// postgres reads version 3 of the PostgreSQL protocol, simple and extended.
type postgres struct {
	messages
	count      func(string)
	statements map[string]string
	portals    map[string]string
}

const (
	startOfPostgres = 196608
	cancelPostgres  = 80877102
	sslPostgres     = 80877103
	gssPostgres     = 80877104
)

func isStartOfPostgres(head []byte) bool {
	code := binary.BigEndian.Uint32(head[4:])
	return binary.BigEndian.Uint32(head) < 10_000 && (code == startOfPostgres || cancelPostgres <= code && code <= gssPostgres)
}

func newPostgres(count func(string)) *postgres {
	p := &postgres{count: count, statements: map[string]string{}, portals: map[string]string{}}
	p.messages = messages{header: 4, handle: p.start, size: func(header []byte) (int, error) {
		if header[0] == 0x16 {
			return 0, errEncrypted
		}
		return int(binary.BigEndian.Uint32(header)), nil
	}}
	return p
}

// start reads messages without a type: requests for encryption, and the one that begins a session.
func (p *postgres) start(message []byte) error {
	if len(message) < 8 {
		return errTorn
	}
	if binary.BigEndian.Uint32(message[4:]) == startOfPostgres {
		p.messages = messages{header: 5, handle: p.message, size: func(header []byte) (int, error) {
			return 1 + int(binary.BigEndian.Uint32(header[1:])), nil
		}}
	}
	return nil
}

func (p *postgres) message(message []byte) error {
	kind, body := message[0], message[5:]
	first, rest, _ := bytes.Cut(body, []byte{0})
	second, _, _ := bytes.Cut(rest, []byte{0})
	switch kind {
	case 'Q':
		p.count(sqlShape(string(first), false))
	case 'P':
		p.statements[string(first)] = sqlShape(string(second), false)
	case 'B':
		p.portals[string(first)] = p.statements[string(second)]
	case 'E':
		p.count(orElse(p.portals[string(first)], "prepared before it was seen"))
	case 'C':
		if len(first) > 0 && first[0] == 'S' {
			delete(p.statements, string(first[1:]))
		}
	case 'F':
		p.count("function call")
	}
	if len(p.statements)+len(p.portals) > mostPrepared {
		return errPrepared
	}
	return nil
}

// mostPrepared limits the prepared statements of a connection.
const mostPrepared = 100_000

var errPrepared = fmt.Errorf("a connection has more than %d prepared statements", mostPrepared)

func (p *postgres) client(part []byte) error { return p.write(part) }
func (p *postgres) server([]byte) error      { return nil }
func (p *postgres) end()                     {}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// mysql reads the protocol of MySQL and MariaDB.
type mysql struct {
	count     func(string)
	commands  messages
	answers   messages
	isGreeted bool
	// offered are the capabilities of the server, and chosen those of the client, which may include some that the server
	// lacks.
	offered, chosen uint32
	statements      map[uint32]string
	// preparing is the statement whose identifier is in the next answer.
	preparing string
}

func newMySQL(count func(string)) *mysql {
	m := &mysql{count: count, statements: map[uint32]string{}}
	size := func(header []byte) (int, error) {
		return 4 + int(header[0]) + int(header[1])<<8 + int(header[2])<<16, nil
	}
	m.commands = messages{header: 4, size: size, handle: m.command}
	m.answers = messages{header: 4, size: size, handle: m.answer}
	return m
}

func (m *mysql) command(packet []byte) error {
	sequence, body := packet[3], packet[4:]
	if !m.isGreeted {
		m.isGreeted = true
		if len(body) < 4 {
			return errTorn
		}
		m.chosen = binary.LittleEndian.Uint32(body)
		switch {
		case m.chosen&(1<<11) != 0:
			return errEncrypted
		case m.chosen&(1<<5|1<<26) != 0:
			return errors.New("the connection is compressed")
		}
		return nil
	}
	// Answers to the server, as in a login, continue its sequence.
	if sequence != 0 || len(body) == 0 {
		return nil
	}
	kind, body := body[0], body[1:]
	switch kind {
	case 0x01, 0x18, 0x19, 0x1a, 0x1c: // Ends, and what comes with the execution of a statement.
	case 0x03:
		m.count(sqlShape(m.query(body), true))
	case 0x0e:
		m.count("PING")
	case 0x16:
		m.preparing = orElse(sqlShape(string(body), true), "?")
	case 0x17, 0xfa:
		if len(body) < 4 {
			return errTorn
		}
		m.count(orElse(m.statements[binary.LittleEndian.Uint32(body)], "prepared before it was seen"))
	default:
		m.count(fmt.Sprintf("command %d", kind))
	}
	return nil
}

// withAttributes is MySQL's capability for sending attributes with a query; MariaDB lacks it.
const withAttributes = 1 << 27

// query skips the attributes of a query; usually there are none.
func (m *mysql) query(body []byte) string {
	if m.offered&m.chosen&withAttributes != 0 && len(body) > 2 {
		if body[0] != 0 {
			return "query with attributes"
		}
		body = body[2:]
	}
	return string(body)
}

// capabilities reads those in a greeting: version, text to 0, thread 4, salt 8, 0, lower half 2, character set 1, status 2, upper half 2.
func capabilities(greeting []byte) uint32 {
	_, rest, _ := bytes.Cut(greeting, []byte{0})
	if len(rest) < 20 {
		return 0
	}
	return uint32(binary.LittleEndian.Uint16(rest[13:])) | uint32(binary.LittleEndian.Uint16(rest[18:]))<<16
}

func (m *mysql) answer(packet []byte) error {
	if !m.isGreeted {
		m.offered = capabilities(packet[4:])
	}
	if m.preparing != "" && packet[3] == 1 {
		if len(packet) >= 9 && packet[4] == 0 {
			m.statements[binary.LittleEndian.Uint32(packet[5:])] = m.preparing
		}
		m.preparing = ""
	}
	if len(m.statements) > mostPrepared {
		return errPrepared
	}
	return nil
}

func (m *mysql) client(part []byte) error { return m.commands.write(part) }
func (m *mysql) server(part []byte) error { return m.answers.write(part) }
func (m *mysql) end()                     {}

// mongo reads the commands of MongoDB by their first element: "find item".
type mongo struct {
	messages
	count func(string)
}

const (
	opQuery      = 2004
	opCompressed = 2012
	opMessage    = 2013
)

func isOpOfMongo(op uint32) bool { return op == opQuery || op == opCompressed || op == opMessage }

func newMongo(count func(string)) *mongo {
	m := &mongo{count: count}
	m.messages = messages{header: 16, handle: m.message, size: func(header []byte) (int, error) {
		if !isOpOfMongo(binary.LittleEndian.Uint32(header[12:])) {
			return 0, errTorn
		}
		return int(binary.LittleEndian.Uint32(header)), nil
	}}
	return m
}

func (m *mongo) message(message []byte) error {
	switch binary.LittleEndian.Uint32(message[12:]) {
	case opCompressed:
		m.count("compressed command")
	case opMessage:
		if text := commandOfMongo(message[16:]); !isOfDriver[text] {
			m.count(text)
		}
	}
	return nil
}

// isOfDriver lists commands that drivers send on their own: greetings, logins, and the ends of sessions.
var isOfDriver = map[string]bool{
	"hello": true, "isMaster": true, "ismaster": true, "ping": true, "buildInfo": true,
	"saslStart": true, "saslContinue": true, "endSessions": true,
}

// commandOfMongo reads the first element of the body, which is the section of kind 0: flags 4, kind 1, size 4, type 1, name, value.
func commandOfMongo(body []byte) string {
	const unreadable = "command"
	if len(body) < 10 || body[4] != 0 {
		return unreadable
	}
	kind := body[9]
	name, value, isWhole := bytes.Cut(body[10:], []byte{0})
	if !isWhole {
		return unreadable
	}
	if kind != 2 || len(value) < 5 {
		return cutText(string(name))
	}
	collection, _, _ := bytes.Cut(value[4:], []byte{0})
	return cutText(strings.TrimSpace(string(name) + " " + string(collection)))
}

func (m *mongo) client(part []byte) error { return m.write(part) }
func (m *mongo) server([]byte) error      { return nil }
func (m *mongo) end()                     {}

// lines splits a stream into lines and skips bodies between them.
type lines struct {
	held []byte
	skip int
}

// mostLine limits a line, in bytes.
const mostLine = 8 << 10

// write calls handle with each line, which returns the number of bytes to skip after it.
func (l *lines) write(part []byte, handle func(line string) (int, error)) error {
	for len(part) > 0 {
		if l.skip > 0 {
			taken := min(l.skip, len(part))
			l.skip -= taken
			part = part[taken:]
			continue
		}
		line, rest, isWhole := bytes.Cut(part, []byte("\n"))
		if len(l.held)+len(line) > mostLine {
			return errTorn
		}
		l.held = append(l.held, line...)
		part = rest
		if !isWhole {
			return nil
		}
		text := strings.TrimSuffix(string(l.held), "\r")
		l.held = l.held[:0]
		skip, err := handle(text)
		if err != nil || skip < 0 {
			return errors.Join(err, errTorn)
		}
		l.skip = skip
	}
	return nil
}

// redis counts commands of Redis and Valkey by their name: "GET". Keys are values.
type redis struct {
	count func(string)
	lines lines
	// left counts the remaining arguments of a command.
	left    int
	isFirst bool
	// isName is true if the next line is the name of a command.
	isName bool
}

func (r *redis) client(part []byte) error { return r.lines.write(part, r.line) }
func (r *redis) server([]byte) error      { return nil }
func (r *redis) end()                     {}

func (r *redis) line(line string) (int, error) {
	switch {
	case r.isName:
		r.isName = false
		r.count(cutText(strings.ToUpper(line)))
	case r.left == 0 && strings.HasPrefix(line, "*"):
		var size int
		if _, err := fmt.Sscanf(line, "*%d", &size); err != nil {
			return 0, err
		}
		r.left, r.isFirst = max(0, size), true
	case r.left > 0 && strings.HasPrefix(line, "$"):
		var size int
		if _, err := fmt.Sscanf(line, "$%d", &size); err != nil || size < 0 {
			return 0, errTorn
		}
		r.left--
		// The name is a separate line, since names contain no line ends.
		if r.isFirst {
			r.isFirst, r.isName = false, true
			return 0, nil
		}
		return size + len("\r\n"), nil
	case r.left == 0 && line != "":
		name, _, _ := strings.Cut(line, " ")
		r.count(cutText(strings.ToUpper(name)))
	case r.left > 0:
		return 0, errTorn
	}
	return 0, nil
}

// nats counts published messages by subject.
type nats struct {
	count func(string)
	lines lines
}

func (n *nats) client(part []byte) error {
	if len(part) > 0 && part[0] == 0x16 && n.lines.skip == 0 {
		return errEncrypted
	}
	return n.lines.write(part, n.line)
}
func (n *nats) server([]byte) error { return nil }
func (n *nats) end()                {}

func (n *nats) line(line string) (int, error) {
	words := strings.Fields(line)
	if len(words) < 3 {
		return 0, nil
	}
	kind := strings.ToUpper(words[0])
	if kind != "PUB" && kind != "HPUB" {
		return 0, nil
	}
	var size int
	if _, err := fmt.Sscanf(words[len(words)-1], "%d", &size); err != nil || size < 0 {
		return 0, errTorn
	}
	parts := strings.Split(words[1], ".")
	for place, part := range parts {
		if isLikelyValue(part) {
			parts[place] = "?"
		}
	}
	n.count(cutText("PUB " + strings.Join(parts, ".")))
	return size + len("\r\n"), nil
}
