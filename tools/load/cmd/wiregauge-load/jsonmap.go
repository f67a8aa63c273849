package main

// longestSeen limits the stored part of a key and of a value: more than any comparison needs.
const longestSeen = 64

// jsonMap scans a JSON map byte by byte, without storing or decoding it.
type jsonMap struct {
	// see receives each key of the map itself and the beginning of its value, without spaces outside of texts; only a part of longer ones.
	see               func(key, value []byte)
	depth             int
	inText, isEscaped bool
	inValue           bool
	key, value        []byte
}

func (m *jsonMap) push(c byte) {
	switch {
	case m.inText:
		m.pushText(c)
		return
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return
	case m.depth == 1 && (c == ':' || c == ',' || c == '}'):
		m.pushMark(c)
		return
	}
	m.keep(c)
	switch c {
	case '"':
		m.inText = true
	case '{', '[':
		m.depth++
	case '}', ']':
		m.depth--
	}
}

// pushMark handles the end of a key or a value of the map itself.
func (m *jsonMap) pushMark(c byte) {
	if c == ':' {
		m.inValue = true
		return
	}
	if m.inValue {
		m.see(m.key, m.value)
	}
	m.inValue, m.key, m.value = false, m.key[:0], m.value[:0]
	if c == '}' {
		m.depth--
	}
}

func (m *jsonMap) pushText(c byte) {
	m.keep(c)
	switch {
	case m.isEscaped:
		m.isEscaped = false
	case c == '\\':
		m.isEscaped = true
	case c == '"':
		m.inText = false
	}
}

// keep stores a byte of a key, with its quotes, or of a value.
func (m *jsonMap) keep(c byte) {
	switch {
	case m.inValue:
		if len(m.value) < longestSeen {
			m.value = append(m.value, c)
		}
	case m.depth == 1 && len(m.key) < longestSeen:
		m.key = append(m.key, c)
	}
}
