package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// leakPause is the time between two checks of the program's connections.
const leakPause = 50 * time.Millisecond

// mostLeaked is the address space for retained memory. Only pages that are due are ever touched.
const mostLeaked = 4 << 30

// leakMemory runs a program as a child and retains a number of bytes for each request that it gets: for each segment with data that its
// listening ports receive over kept connections, which is one request over HTTP/1.1. Connections shorter than leakPause are not seen.
func leakMemory(bytes float64, command []string) (int, error) {
	held, err := unix.Mmap(-1, 0, mostLeaked, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return 0, err
	}
	child, ended, err := startChild(command)
	if err != nil {
		return 0, err
	}
	forwardSignals(child)
	// This process's own memory must stay constant.
	debug.SetGCPercent(5)
	requests := &requestCount{tree: newCPUTree(child.Pid), seen: map[uint64]uint32{}}
	for touched := 0; ; {
		select {
		case code := <-ended:
			return code, nil
		case <-time.After(leakPause):
		}
		if err := requests.look(); err != nil {
			return 0, fmt.Errorf("the requests of the service cannot be counted: %w", err)
		}
		for due := min(int(bytes*float64(requests.sum)), mostLeaked); touched < due; touched += os.Getpagesize() {
			held[touched] = 1
		}
	}
}

// requestCount counts the segments with data that a program receives.
type requestCount struct {
	tree *cpuTree
	// ports are those on which the program listens.
	ports map[uint16]bool
	// seen has the segments of each connection by its cookie.
	seen map[uint64]uint32
	sum  uint64
	// buffer is for responses of the kernel.
	buffer [1 << 16]byte
}

func (c *requestCount) look() error {
	sockets, err := tcpSockets(c.buffer[:])
	if err != nil {
		return err
	}
	if time.Since(c.tree.looked) >= plantLook {
		c.tree.read()
		c.ports = listeningPorts(sockets, c.tree.seen)
	}
	now := make(map[uint64]uint32, len(sockets))
	for _, one := range sockets {
		// A connection that waits for its end receives no more segments.
		if before := c.seen[one.cookie]; one.state != tcpListen && c.ports[one.port] && one.segments >= before {
			c.sum += uint64(one.segments - before)
			now[one.cookie] = one.segments
		}
	}
	c.seen = now
	return nil
}

const (
	tcpTimeWait = 6
	tcpListen   = 10
)

type tcpSocket struct {
	state    uint8
	port     uint16
	inode    uint32
	cookie   uint64
	segments uint32
}

// listeningPorts returns those of the programs; all of this network if the files of another user's program cannot be read, as in a
// container.
func listeningPorts(sockets []tcpSocket, programs map[int]time.Duration) map[uint16]bool {
	own, isHidden := map[string]bool{}, false
	for pid := range programs {
		folder := fmt.Sprintf("/proc/%d/fd", pid)
		if _, err := os.ReadDir(folder); errors.Is(err, fs.ErrPermission) {
			isHidden = true
		}
		files, _ := filepath.Glob(folder + "/*")
		for _, file := range files {
			if target, _ := os.Readlink(file); strings.HasPrefix(target, "socket:") {
				own[target] = true
			}
		}
	}
	ports := map[uint16]bool{}
	for _, one := range sockets {
		if one.state == tcpListen && (isHidden || own[fmt.Sprintf("socket:[%d]", one.inode)]) {
			ports[one.port] = true
		}
	}
	return ports
}

const (
	// diagLength is that of a struct inet_diag_msg (sock_diag(7)), after which attributes follow.
	diagLength = 72
	// diagInfo is the attribute with a struct tcp_info.
	diagInfo = 2
)

// tcpSockets returns all sockets of this network, for IPv4 and IPv6.
func tcpSockets(buffer []byte) ([]tcpSocket, error) {
	connection, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(connection)
	var sockets []tcpSocket
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		request := make([]byte, unix.SizeofNlMsghdr+56)
		binary.NativeEndian.PutUint32(request, uint32(len(request)))
		binary.NativeEndian.PutUint16(request[4:], unix.SOCK_DIAG_BY_FAMILY)
		binary.NativeEndian.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
		request[16], request[17], request[18] = family, unix.IPPROTO_TCP, 1<<(diagInfo-1)
		// Requests every state except TIME_WAIT, which may have thousands of sockets.
		binary.NativeEndian.PutUint32(request[20:], ^uint32(1<<tcpTimeWait))
		if err := unix.Sendto(connection, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
			return nil, err
		}
		if sockets, err = receiveSockets(connection, buffer, sockets); err != nil {
			return nil, err
		}
	}
	return sockets, nil
}

func receiveSockets(connection int, buffer []byte, sockets []tcpSocket) ([]tcpSocket, error) {
	for {
		length, _, err := unix.Recvfrom(connection, buffer, 0)
		if err != nil {
			return nil, err
		}
		messages, err := syscall.ParseNetlinkMessage(buffer[:length])
		if err != nil {
			return nil, err
		}
		for _, message := range messages {
			switch {
			case message.Header.Type == unix.NLMSG_DONE:
				return sockets, nil
			case message.Header.Type == unix.NLMSG_ERROR:
				return nil, errors.New("the kernel does not list its sockets")
			case len(message.Data) >= diagLength:
				sockets = append(sockets, socketOf(message.Data))
			}
		}
	}
}

func socketOf(data []byte) tcpSocket {
	one := tcpSocket{
		state:  data[1],
		port:   binary.BigEndian.Uint16(data[4:]),
		cookie: binary.NativeEndian.Uint64(data[44:]),
		inode:  binary.NativeEndian.Uint32(data[68:]),
	}
	const place = int(unsafe.Offsetof(unix.TCPInfo{}.Data_segs_in))
	for rest := data[diagLength:]; len(rest) >= 4; {
		length := int(binary.NativeEndian.Uint16(rest))
		if length < 4 || length > len(rest) {
			break
		}
		if value := rest[4:length]; binary.NativeEndian.Uint16(rest[2:]) == diagInfo && len(value) >= place+4 {
			one.segments = binary.NativeEndian.Uint32(value[place:])
		}
		rest = rest[min(len(rest), (length+3)&^3):]
	}
	return one
}
