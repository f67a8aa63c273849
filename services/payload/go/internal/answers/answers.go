// Package answers checks the counts of requests. The cache holds objects, not bytes, so that each response is serialized.
package answers

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"wiregauge/services/payload/go/internal/settings"
)

// Form is the form of answers: JSON or messages.
type Form struct {
	ContentType string
	// Encode serializes an answer with the first objects of the cache.
	Encode func(count int) ([]byte, error)
}

// CountError is an invalid count; the message has the valid ones.
type CountError struct {
	// IsBeyond is true if there are fewer objects; otherwise it is not a count.
	IsBeyond bool
	message  string
}

func (e *CountError) Error() string { return e.message }

var written = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)

// ParseCount returns the count that a query has once, in digits without sign or leading zero; else 0, which is not a
// count.
func ParseCount(texts []string) int {
	if len(texts) != 1 || !written.MatchString(texts[0]) {
		return 0
	}
	count, err := strconv.Atoi(texts[0])
	if err != nil {
		return 0
	}
	return count
}

// Check is nil for a count that the cache has objects for, else a *CountError.
func Check(count int, read settings.Settings) error {
	most := read.MostObjects()
	switch {
	case count <= 0 || count > math.MaxInt32:
		return &CountError{message: fmt.Sprintf("count must be a whole number from 1 to %d.", most)}
	case count > most:
		return &CountError{IsBeyond: true, message: fmt.Sprintf(
			"count is %d, and the cache holds %d objects: ask for 1 to %d, or start the service with a larger CACHE_COUNTS.", count, most, most)}
	}
	return nil
}

// Burn does the extra work of an answer: it serializes some of its objects again.
func Burn(form Form, count int, read settings.Settings) error {
	extra := int(math.RoundToEven(float64(count) * read.ExtraWork / 100))
	if extra == 0 {
		return nil
	}
	_, err := form.Encode(extra)
	return err
}
