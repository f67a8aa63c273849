package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// driver runs one block at a time, and keeps resources that the next one can reuse.
type driver struct {
	answers *json.Encoder
	writing sync.Mutex
	stage   stage
	// sendsRecords is true if records are sent before the answer to their block, because no other program can read the
	// files.
	sendsRecords bool
}

// recordsAnswer is a line with records of one load, or a part of them.
type recordsAnswer struct {
	Output  string `json:"output"`
	Records []byte `json:"records"`
}

func newDriver(answers io.Writer) *driver {
	return &driver{answers: json.NewEncoder(answers), stage: stage{idle: map[key][]connections{}}}
}

// serveRemote answers requests from its own folder, since others may run concurrently.
func serveRemote(requests io.Reader, answers io.Writer) error {
	folder, err := os.MkdirTemp("", "wiregauge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Chdir(folder); err != nil {
		return err
	}
	d := newDriver(answers)
	d.sendsRecords = true
	return d.serve(requests)
}

// serve answers requests until they end. It does not wait for a block that still runs then: its result has no reader.
func (d *driver) serve(requests io.Reader) error {
	lines := bufio.NewReader(requests)
	blocks := make(chan request)
	defer close(blocks)
	go func() {
		var waiting block
		for r := range blocks {
			if r.StartNs == 0 {
				waiting = d.stage.prepare(r.Loads)
			}
			if r.Waits {
				d.answer(readyAnswer{r.ID, true})
				continue
			}
			answer := d.stage.run(waiting, startOf(r))
			answer.ID = r.ID
			if d.sendsRecords {
				d.sendRecords(waiting.loads)
			}
			d.answer(answer)
		}
	}()
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("a request is malformed: %w", err)
		}
		if r.Loads == nil && r.StartNs == 0 {
			d.answer(cpuTimes(r))
			continue
		}
		blocks <- r
	}
}

// startOf returns the start of a block by the monotonic clock, which is unaffected if the machine's time is set.
func startOf(r request) time.Time {
	now := time.Now()
	if r.StartNs == 0 {
		return now.Add(lead)
	}
	return now.Add(time.Duration(r.StartNs - now.UnixNano()))
}

// partBytes limits the memory of records that are being sent.
const partBytes = 1 << 20

// sendFile sends the content of a file in parts.
func (d *driver) sendFile(output string, file io.Reader) {
	part := make([]byte, partBytes)
	for {
		n, err := io.ReadFull(file, part)
		if n > 0 {
			d.answer(recordsAnswer{output, part[:n]})
		}
		if err != nil {
			return
		}
	}
}

// sendRecords sends the records of each load that has any, and removes them.
func (d *driver) sendRecords(loads []blockLoad) {
	for _, load := range loads {
		if records, err := os.Open(load.Output); err == nil {
			d.sendFile(load.Output, records)
			_ = records.Close()
			_ = os.Remove(load.Output)
		}
	}
}

func (d *driver) answer(line any) {
	d.writing.Lock()
	defer d.writing.Unlock()
	// If the output has no reader, standard input has ended too, and so does this program.
	_ = d.answers.Encode(line)
}
