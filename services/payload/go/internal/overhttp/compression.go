package overhttp

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
)

// takesGzip returns whether a client's Accept-Encoding permits gzip: by its name, else by * (RFC 9110, 12.5.3).
func takesGzip(headers []string) bool {
	named, other := -1.0, 0.0
	for element := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		coding, parameter, _ := strings.Cut(element, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip":
			named = weight(parameter)
		case "*":
			other = weight(parameter)
		}
	}
	if named >= 0 {
		return named > 0
	}
	return other > 0
}

// weight returns the q of an element; 1 without one, 0 if it is invalid.
func weight(parameter string) float64 {
	name, value, found := strings.Cut(strings.TrimSpace(parameter), "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return 0
	}
	return q
}

// compressed returns a body compressed by gzip at its default level, 6, as in the Python services.
func compressed(body []byte) []byte {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	// Writing to a buffer in memory never fails.
	_, _ = writer.Write(body)
	_ = writer.Close()
	return buffer.Bytes()
}
