package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// driver runs one block at a time, and keeps what the next one can use again.
type driver struct {
	answers *json.Encoder
	writing sync.Mutex
	stage   stage
}

func newDriver(answers io.Writer) *driver {
	return &driver{answers: json.NewEncoder(answers), stage: stage{idle: map[key][]connections{}}}
}

// serve answers requests until they end. It does not wait for a block that still runs then: its result has no reader.
func (d *driver) serve(requests io.Reader) error {
	lines := bufio.NewReader(requests)
	blocks := make(chan request)
	defer close(blocks)
	go func() {
		for r := range blocks {
			d.answer(d.stage.play(r))
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
		if r.Loads == nil {
			d.answer(cpuTimes(r))
			continue
		}
		blocks <- r
	}
}

func (d *driver) answer(line any) {
	d.writing.Lock()
	defer d.writing.Unlock()
	// If the output has no reader, standard input has ended too, and so does this program.
	_ = d.answers.Encode(line)
}
