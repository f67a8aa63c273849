package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// watchReady is the line that reports that every open from now on is seen.
const watchReady = "watching"

// watchOpens prints the index of each file of a list, from 0, once any process of this machine opens it. The last file of the list is a
// marker: the kernel keeps the order of opens, so earlier ones are printed before it. It ends with an error if the kernel dropped events.
func watchOpens(list string, output io.Writer) error {
	names, err := readList(list)
	if err != nil {
		return err
	}
	events, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(events)
	places := make(map[int32][]int)
	for place, name := range names {
		// Several paths of one file, such as hard links, share a descriptor.
		descriptor, err := unix.InotifyAddWatch(events, name, unix.IN_OPEN|unix.IN_DONT_FOLLOW)
		if err != nil {
			return fmt.Errorf("%s cannot be watched: %w", name, err)
		}
		places[int32(descriptor)] = append(places[int32(descriptor)], place)
	}
	fmt.Fprintln(output, watchReady)
	buffer := make([]byte, 64<<10)
	for {
		size, err := unix.Read(events, buffer)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		for at := 0; at+unix.SizeofInotifyEvent <= size; {
			descriptor := int32(binary.NativeEndian.Uint32(buffer[at:]))
			mask := binary.NativeEndian.Uint32(buffer[at+4:])
			at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buffer[at+12:]))
			if mask&unix.IN_Q_OVERFLOW != 0 {
				return fmt.Errorf("the kernel dropped events of opened files")
			}
			if mask&unix.IN_OPEN == 0 {
				continue
			}
			for _, place := range places[descriptor] {
				fmt.Fprintln(output, place)
			}
			// Each is printed once, so that a file that is read for every request does not fill the output.
			delete(places, descriptor)
		}
	}
}

// readList returns the names in a file, each of which ends with a zero byte.
func readList(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var names []string
	for reader := bufio.NewReader(file); ; {
		name, err := reader.ReadString(0)
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name[:len(name)-1])
	}
}
