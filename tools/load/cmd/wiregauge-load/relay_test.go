package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// said is the data that one side of a connection sends in its turn.
type said struct {
	isServer bool
	bytes    string
}

func clientSays(parts ...string) said { return said{bytes: strings.Join(parts, "")} }
func serverSays(parts ...string) said { return said{isServer: true, bytes: strings.Join(parts, "")} }

func big32(value int) string    { return string(binary.BigEndian.AppendUint32(nil, uint32(value))) }
func little32(value int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(value))) }

func ofPostgres(kind, body string) string { return kind + big32(len(body)+4) + body }

var startPostgres = big32(8+len("user\x00a\x00\x00")) + big32(startOfPostgres) + "user\x00a\x00\x00"

func ofMySQL(sequence byte, body string) string {
	return little32(len(body))[:3] + string(sequence) + body
}

var (
	greetingOfMySQL = serverSays(ofMySQL(0, "\x0a8.0.30\x00........................"))
	loginToMySQL    = clientSays(ofMySQL(1, little32(0x8200)+"................"))
	welcomeOfMySQL  = serverSays(ofMySQL(2, "\x00\x00\x00\x02\x00\x00\x00"))
	// mysql2 3 offers attributes to every server.
	loginWithAttributes = clientSays(ofMySQL(1, little32(0x08baf3ce)+"................"))
)

// greetingWith has the layout of MariaDB 10.11, without its salt.
func greetingWith(version string, capabilities int) said {
	halves := little32(capabilities)
	return serverSays(ofMySQL(0, "\x0a"+version+"\x00\x08\x00\x00\x00aaaaaaaa\x00"+halves[:2]+"\x2d\x02\x00"+halves[2:]+"\x15"+strings.Repeat("\x00", 10)+"bbbbbbbbbbbb\x00mysql_native_password\x00"))
}

func ofMongo(op int, body string) string {
	return little32(16+len(body)) + little32(1) + little32(0) + little32(op) + body
}

func commandToMongo(name, collection string) string {
	element := "\x02" + name + "\x00" + little32(len(collection)+1) + collection + "\x00"
	document := little32(4+len(element)+1) + element + "\x00"
	return ofMongo(opMessage, little32(0)+"\x00"+document)
}

func ofHTTP2(write func(framer *http2.Framer, encoder *hpack.Encoder, block *bytes.Buffer)) string {
	var out, block bytes.Buffer
	out.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(&out, nil)
	_ = framer.WriteSettings()
	write(framer, hpack.NewEncoder(&block), &block)
	return out.String()
}

func openStream(framer *http2.Framer, encoder *hpack.Encoder, block *bytes.Buffer, stream uint32, fields ...string) {
	block.Reset()
	for at := 0; at < len(fields); at += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[at], Value: fields[at+1]})
	}
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
	_ = framer.WriteData(stream, true, []byte("12345"))
}

var conversations = map[string]struct {
	said     []said
	protocol string
	commands map[string]int
	trips    int
	unread   error
}{
	"PostgreSQL, simple": {
		[]said{
			clientSays(big32(8), big32(sslPostgres)), serverSays("N"), clientSays(startPostgres), serverSays("R...."),
			clientSays(ofPostgres("Q", "select owner from item where id = 17\x00")), serverSays("T...."),
			clientSays(ofPostgres("Q", "select owner from item where id = 18\x00")), serverSays("T...."),
		},
		"postgres", map[string]int{"select owner from item where id = ?": 2}, 4, nil,
	},
	"PostgreSQL, prepared once and executed three times": {
		[]said{
			clientSays(startPostgres), serverSays("R...."),
			clientSays(ofPostgres("P", "s1\x00select id from a where b = $1\x00\x00\x00"), ofPostgres("B", "\x00s1\x00\x00\x00"), ofPostgres("E", "\x00\x00\x00\x00\x00"), ofPostgres("S", "")),
			serverSays("1...."),
			clientSays(ofPostgres("B", "p\x00s1\x00"), ofPostgres("E", "p\x00"), ofPostgres("B", "p\x00s1\x00"), ofPostgres("E", "p\x00"), ofPostgres("S", "")),
			serverSays("2...."),
		},
		"postgres", map[string]int{"select id from a where b = $1": 3}, 3, nil,
	},
	"PostgreSQL, encrypted": {
		[]said{clientSays(big32(8), big32(sslPostgres)), serverSays("S"), clientSays("\x16\x03\x01\x02\x00........"), serverSays("\x16"), clientSays("\x17")},
		"postgres", map[string]int{roundTrip: 2}, 3, errEncrypted,
	},
	"PostgreSQL, malformed": {
		[]said{clientSays(startPostgres), serverSays("R"), clientSays("Q\x00\x00\x00\x01")},
		"postgres", map[string]int{roundTrip: 1}, 2, errTorn,
	},
	"MySQL, text and prepared": {
		[]said{
			greetingOfMySQL, loginToMySQL, welcomeOfMySQL,
			clientSays(ofMySQL(0, "\x03"+`SELECT * FROM t WHERE a = "x\"y" AND b IN (1, 2,3)`)), serverSays(ofMySQL(1, "\x01")),
			clientSays(ofMySQL(0, "\x16UPDATE t SET a = ?")), serverSays(ofMySQL(1, "\x00"+little32(7)+"\x00\x00\x01\x00\x00\x00\x00")),
			clientSays(ofMySQL(0, "\x17"+little32(7)+"\x00\x01\x00\x00\x00")), serverSays(ofMySQL(1, "\x00\x00\x00")),
			clientSays(ofMySQL(0, "\x19"+little32(7)), ofMySQL(0, "\x0e")), serverSays(ofMySQL(1, "\x00\x00\x00")),
		},
		"mysql", map[string]int{"SELECT * FROM t WHERE a = ? AND b IN (?)": 1, "UPDATE t SET a = ?": 1, "PING": 1}, 5, nil,
	},
	"MySQL, with attributes of queries": {
		[]said{
			greetingWith("8.0.30", 0xdfff_f7ff), loginWithAttributes, welcomeOfMySQL,
			clientSays(ofMySQL(0, "\x03\x00\x01SELECT 1")), serverSays(ofMySQL(1, "\x01")),
			clientSays(ofMySQL(0, "\x03\x01\x01\x00\x01\xfe\x00\x01aSELECT 2")), serverSays(ofMySQL(1, "\x01")),
		},
		"mysql", map[string]int{"SELECT ?": 1, "query with attributes": 1}, 3, nil,
	},
	"MariaDB, with a client of MySQL that offers attributes": {
		[]said{
			greetingWith("5.5.5-10.11.19-MariaDB", 0x81ff_f7fe), loginWithAttributes, welcomeOfMySQL,
			clientSays(ofMySQL(0, "\x03SELECT 1")), serverSays(ofMySQL(1, "\x01")),
		},
		"mysql", map[string]int{"SELECT ?": 1}, 2, nil,
	},
	"MySQL, encrypted": {
		[]said{greetingOfMySQL, clientSays(ofMySQL(1, little32(0x8a00)+"............................")), clientSays("\x16\x03\x01")},
		"mysql", map[string]int{roundTrip: 1}, 1, errEncrypted,
	},
	"Redis, pipelined and inline": {
		[]said{
			clientSays("*2\r\n$3\r\nget\r\n$9\r\nuser:1\r\nx\r\n", "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\n*1\r\n", "*2\r\n$3\r\nGET\r\n$0\r\n\r\n"), serverSays("+OK\r\n"),
			clientSays("PING\r\n"), serverSays("+PONG\r\n"),
		},
		"redis", map[string]int{"GET": 2, "SET": 1, "PING": 1}, 2, nil,
	},
	"MongoDB": {
		[]said{
			clientSays(commandToMongo("hello", "")), serverSays("...."),
			clientSays(commandToMongo("find", "item")), serverSays("...."),
			clientSays(commandToMongo("find", "item"), ofMongo(opCompressed, "............")), serverSays("...."),
		},
		"mongodb", map[string]int{"find item": 2, "compressed command": 1}, 3, nil,
	},
	"NATS": {
		[]said{
			serverSays("INFO {\"server_id\":\"a\"}\r\n"), clientSays("CONNECT {}\r\nPING\r\n"), serverSays("PONG\r\n"),
			clientSays("PUB orders.new.17 5\r\nPUB 1\r\nPUB orders.new.18 _INBOX.9 0\r\n\r\n"),
		},
		"nats", map[string]int{"PUB orders.new.?": 2}, 2, nil,
	},
	"HTTP/1.1 with bodies": {
		[]said{
			clientSays("GET /items/17?owner=a HTTP/1.1\r\nHost: a\r\n\r\n"), serverSays("HTTP/1.1 200 OK\r\n"),
			clientSays("POST /v1/items HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /GET /items/18 HTTP/1.1\r\nHost: a\r\n\r\n"), serverSays("HTTP/1.1 200 OK\r\n"),
		},
		"http1", map[string]int{"GET /items/?": 2, "POST /v1/items": 1}, 2, nil,
	},
	"HTTP/2 and gRPC": {
		[]said{clientSays(ofHTTP2(func(framer *http2.Framer, encoder *hpack.Encoder, block *bytes.Buffer) {
			openStream(framer, encoder, block, 1, ":method", "POST", ":path", "/shop.v12.Orders/Get", "content-type", "application/grpc")
			openStream(framer, encoder, block, 3, ":method", "GET", ":path", "/items/17", "accept", "*/*")
		}))},
		"http2", map[string]int{"/shop.v12.Orders/Get": 1, "GET /items/?": 1}, 1, nil,
	},
	"an unknown protocol": {
		[]said{clientSays("AMQP\x00\x00\x09\x01"), serverSays("\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), clientSays("b")},
		unknown, map[string]int{roundTrip: 1}, 2, errProtocol,
	},
	"TLS": {
		[]said{clientSays("\x16\x03\x01\x00\x05hello"), serverSays("\x16"), clientSays("b")},
		unknown, map[string]int{roundTrip: 2}, 2, errEncrypted,
	},
}

func TestConversations(t *testing.T) {
	for name, one := range conversations {
		for _, size := range []int{1, 3, 7, 1 << 20} {
			t.Run(fmt.Sprintf("%s in parts of %d", name, size), func(t *testing.T) {
				r := &relay{names: []string{"a"}, needs: map[string]*needCalls{"a": {Name: "a", Commands: map[string]int{}}}}
				c := &conversation{relay: r, need: r.needs["a"]}
				for _, turn := range one.said {
					for rest := []byte(turn.bytes); len(rest) > 0; rest = rest[min(size, len(rest)):] {
						part := rest[:min(size, len(rest))]
						if turn.isServer {
							c.received(part)
						} else {
							c.sent(part)
						}
					}
				}
				c.end()
				found := r.take()[0]
				unread := ""
				if one.unread != nil {
					unread = one.unread.Error()
				}
				if found.Protocol != one.protocol || found.Unread != unread {
					t.Errorf("protocol %q (%q), want %q (%q)", found.Protocol, found.Unread, one.protocol, unread)
				}
				if found.RoundTrips != one.trips {
					t.Errorf("%d round trips, want %d", found.RoundTrips, one.trips)
				}
				// Round trips are counted from where a message turns out to be unreadable.
				if one.unread == nil && !maps.Equal(found.Commands, one.commands) {
					t.Errorf("commands %v, want %v", found.Commands, one.commands)
				}
				if one.unread != nil && size == 1<<20 && !maps.Equal(found.Commands, one.commands) {
					t.Errorf("commands %v, want %v", found.Commands, one.commands)
				}
			})
		}
	}
}

func TestShapesHaveNoLiterals(t *testing.T) {
	for statement, want := range map[string]string{
		"select  *\nfrom t where a='it''s' and b = E'x\\'y' and c=3.5e10": "select * from t where a=? and b = E? and c=?",
		"select $1, $2 , $3 from \"Order\" -- secret\n where t1.a2 = $4":  "select $1 from \"Order\" where t1.a2 = $4",
		"/* secret */ select $tag$ secret $tag$, 'unterminated secret":    "select ?",
		"insert into t values (1, 'a', ?)":                                "insert into t values (?)",
		"select 'back\\' from t":                                          "select ? from t",
		"begin":                                                           "begin",
	} {
		if shape := sqlShape(statement, false); shape != want {
			t.Errorf("%q is %q, want %q", statement, shape, want)
		}
	}
	if shape := sqlShape(`select "secret\" x", 'b' from `+"`order`"+` # secret`, true); shape != "select ? from `order`" {
		t.Errorf("MySQL: %q", shape)
	}
	if shape := sqlShape(strings.Repeat("select a, ", 1000), false); len(shape) > mostText+10 {
		t.Errorf("a shape of %d bytes", len(shape))
	}
}

func FuzzWire(f *testing.F) {
	for _, one := range conversations {
		var client, server string
		for _, turn := range one.said {
			if turn.isServer {
				server += turn.bytes
			} else {
				client += turn.bytes
			}
		}
		f.Add([]byte(client), []byte(server))
	}
	f.Fuzz(func(t *testing.T, client, server []byte) {
		r := &relay{names: []string{"a"}, needs: map[string]*needCalls{"a": {Name: "a", Commands: map[string]int{}}}}
		c := &conversation{relay: r, need: r.needs["a"]}
		c.received(server[:len(server)/2])
		c.sent(client)
		c.received(server[len(server)/2:])
		c.end()
		if len(r.take()[0].Commands) > mostTexts+1 {
			t.Error("more commands than are kept")
		}
	})
}

func TestRelayPassesBytesOn(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, received *http.Request) {
		body, _ := io.ReadAll(received.Body)
		fmt.Fprintf(answer, "%s %d", received.URL.Path, len(body))
	}))
	defer server.Close()
	ask, end := startRelay(t)
	ports := ask(relayTarget{Name: "api", To: server.Listener.Addr().String()}).Ports
	ports = append(ports, ask(relayTarget{Name: "gone", To: "127.0.0.1:1"}).Ports...)
	client := &http.Client{Timeout: 10 * time.Second}
	for number := range 3 {
		answer, err := client.Post(fmt.Sprintf("http://127.0.0.1:%d/items/%d", ports[0], number), "text/plain", strings.NewReader(strings.Repeat("x", 100_000)))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(text) != fmt.Sprintf("/items/%d 100000", number) {
			t.Errorf("the answer is %q", text)
		}
	}
	refused, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", ports[1]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := refused.Read(make([]byte, 1)); err == nil {
		t.Error("a need that is gone answers")
	}
	for _, want := range []map[string]int{{"POST /items/?": 3}, {}} {
		if needs := ask().Needs; len(needs) != 2 || !maps.Equal(needs[0].Commands, want) {
			t.Errorf("%v, want %v", needs, want)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// relayAnswer is the answer to targets, or without targets the calls so far.
type relayAnswer struct {
	Ports []int
	Needs []needCalls
}

// startRelay starts a relay; it returns functions that send it a request and end it.
func startRelay(t testing.TB) (ask func(targets ...relayTarget) relayAnswer, end func() error) {
	t.Helper()
	input, commands := io.Pipe()
	answers, output := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- runRelay(input, output, "127.0.0.1") }()
	lines := bufio.NewReader(answers)
	ask = func(targets ...relayTarget) (answer relayAnswer) {
		var request []byte
		if len(targets) > 0 {
			request, _ = json.Marshal(targets)
		}
		fmt.Fprintf(commands, "%s\n", request)
		line, _ := lines.ReadBytes('\n')
		if err := json.Unmarshal(line, &answer); err != nil || len(answer.Ports) != len(targets) {
			t.Fatalf("%s: %v", line, err)
		}
		return answer
	}
	return ask, func() error { commands.Close(); return <-ended }
}

// echoServer answers each byte of each connection with a byte.
func echoServer(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(connection, connection)
				connection.Close()
			}()
		}
	}()
	return listener
}

func roundTripOver(t testing.TB, connection net.Conn, message []byte) {
	if _, err := connection.Write(message); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(connection, message); err != nil {
		t.Fatal(err)
	}
}

func TestRelayCarriesTenThousandConnections(t *testing.T) {
	const waves, atOnce = 10, 1000
	ask, end := startRelay(t)
	ports := ask(relayTarget{Name: "store", To: echoServer(t).Addr().String()}).Ports
	for range waves {
		var open []net.Conn
		for range atOnce {
			connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", ports[0]))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, connection)
		}
		for _, connection := range open {
			roundTripOver(t, connection, []byte("*1\r\n$4\r\nPING\r\n"))
		}
		for _, connection := range open {
			connection.Close()
		}
	}
	if store := ask().Needs[0]; store.Connections != waves*atOnce || store.RoundTrips != waves*atOnce || store.Commands["PING"] != waves*atOnce {
		t.Errorf("%+v", store)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// fullListener has no room for its first connections.
type fullListener struct {
	net.Listener
	refused int
}

func (l *fullListener) Accept() (net.Conn, error) {
	if l.refused++; l.refused < 3 {
		return nil, syscall.EMFILE
	}
	return l.Listener.Accept()
}

func TestRelayGoesOnAfterTooManyOpenFiles(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{needs: map[string]*needCalls{}}
	done := make(chan struct{})
	go func() {
		r.accept(&fullListener{Listener: listener}, relayTarget{Name: "store", To: echoServer(t).Addr().String()}, r.needOf("store"))
		close(done)
	}()
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	roundTripOver(t, connection, []byte("*1\r\n$4\r\nPING\r\n"))
	listener.Close()
	<-done
}

// brokenListener accepts nothing.
type brokenListener struct{ net.Listener }

func (brokenListener) Accept() (net.Conn, error) { return nil, syscall.EINVAL }

func TestRelayEndsAtAnyOtherError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	new(relay).accept(brokenListener{listener}, relayTarget{Name: "store"}, nil)
	if _, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		t.Error("a connection that is not accepted was opened")
	}
}

func TestDialIsRetriedAfterTooManyOpenFiles(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	attempts := 0
	connection, err := dialing(func(time.Duration) (net.Conn, error) {
		if attempts++; attempts < 3 {
			return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}
		}
		return client, nil
	})
	if err != nil || connection != client || attempts != 3 {
		t.Errorf("%v after %d attempts: %v", connection, attempts, err)
	}
	if _, err := dialing(func(time.Duration) (net.Conn, error) { return nil, syscall.ECONNREFUSED }); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("refused: %v", err)
	}
}

// BenchmarkRelay is the cost of the relay while counting: a command of a store without and with the relay.
func BenchmarkRelay(b *testing.B) {
	server := echoServer(b)
	ask, _ := startRelay(b)
	ports := ask(relayTarget{Name: "store", To: server.Addr().String()}).Ports
	for name, address := range map[string]string{"direct": server.Addr().String(), "relayed": fmt.Sprintf("127.0.0.1:%d", ports[0])} {
		b.Run(name, func(b *testing.B) {
			connection, err := net.Dial("tcp", address)
			if err != nil {
				b.Fatal(err)
			}
			defer connection.Close()
			message := []byte("*2\r\n$3\r\nGET\r\n$6\r\nuser:1\r\n")
			for b.Loop() {
				roundTripOver(b, connection, message)
			}
		})
	}
}
