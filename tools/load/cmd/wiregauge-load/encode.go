package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/bojand/ghz/printer"
	"github.com/bojand/ghz/runner"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// recordFile is a record file that was fully read.
type recordFile struct {
	recordHeader
	numbers map[string][]float64
	codes   []uint32
}

func readRecords(path string) (*recordFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<16)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s has no records: %w", path, err)
	}
	found := &recordFile{numbers: map[string][]float64{}}
	if err := json.Unmarshal(line, &found.recordHeader); err != nil {
		return nil, fmt.Errorf("%s has no records: %w", path, err)
	}
	for _, name := range found.Columns {
		if err := found.readColumn(in, name); err != nil {
			return nil, fmt.Errorf("%s is cut off: %w", path, err)
		}
	}
	return found, nil
}

func (f *recordFile) readColumn(in io.Reader, name string) error {
	if name == "code" {
		f.codes = make([]uint32, f.Records)
		return binary.Read(in, binary.LittleEndian, f.codes)
	}
	f.numbers[name] = make([]float64, f.Records)
	return binary.Read(in, binary.LittleEndian, f.numbers[name])
}

// encode writes a record file in the format of vegeta or ghz, with their own libraries, for programs that read those.
func encode(tool, from, to string) error {
	records, err := readRecords(from)
	if err != nil {
		return err
	}
	output, err := os.Create(to)
	if err != nil {
		return err
	}
	defer output.Close()
	out := bufio.NewWriter(output)
	switch tool {
	case "vegeta":
		err = records.eachCall(encodeResult(vegeta.NewEncoder(out)))
	case "ghz":
		err = encodeReport(out, records)
	default:
		err = fmt.Errorf("there is no format %q: it is vegeta or ghz", tool)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// eachCall visits the records in their order.
func (f *recordFile) eachCall(visit func(nth int, sent time.Time, latency time.Duration, end outcome) error) error {
	for i, code := range f.codes {
		sent, done := f.numbers["sent"][i], f.numbers["done"][i]
		at := time.UnixMilli(f.OriginMs).Add(time.Duration(sent)).UTC()
		if err := visit(i, at, time.Duration(math.Round(done-sent)), f.Outcomes[code]); err != nil {
			return err
		}
	}
	return nil
}

func encodeResult(encoder vegeta.Encoder) func(nth int, sent time.Time, latency time.Duration, end outcome) error {
	return func(nth int, sent time.Time, latency time.Duration, end outcome) error {
		code, _ := strconv.Atoi(end.Status)
		result := vegeta.Result{Seq: uint64(nth), Code: uint16(code), Timestamp: sent, Latency: latency, Error: end.Text}
		if code >= 400 {
			result.Error = end.Status + " " + http.StatusText(code)
		}
		return encoder.Encode(&result)
	}
}

// reportOf returns the report that ghz would have made for the calls.
func reportOf(f *recordFile) (*runner.Report, error) {
	report := &runner.Report{
		EndReason: runner.ReasonNormalEnd, Date: time.UnixMilli(f.OriginMs).UTC(),
		ErrorDist: map[string]int{}, StatusCodeDist: map[string]int{},
	}
	last := time.UnixMilli(f.OriginMs)
	sum := time.Duration(0)
	err := f.eachCall(func(nth int, sent time.Time, latency time.Duration, end outcome) error {
		ended := sent.Add(latency)
		report.Details = append(report.Details, runner.ResultDetail{Timestamp: ended, Latency: latency, Error: end.Text, Status: end.Status})
		report.StatusCodeDist[end.Status]++
		if end.Status != "OK" {
			report.ErrorDist[end.Text]++
		}
		if nth == 0 || latency < report.Fastest {
			report.Fastest = latency
		}
		if ended.After(last) {
			last = ended
		}
		report.Slowest, sum = max(report.Slowest, latency), sum+latency
		return nil
	})
	report.Count, report.Total = uint64(len(report.Details)), last.Sub(time.UnixMilli(f.OriginMs))
	if report.Count > 0 {
		report.Average, report.Rps = sum/time.Duration(report.Count), float64(report.Count)/report.Total.Seconds()
	}
	return report, err
}

func encodeReport(out io.Writer, f *recordFile) error {
	report, err := reportOf(f)
	if err != nil {
		return err
	}
	return (&printer.ReportPrinter{Report: report, Out: out}).Print("json")
}
