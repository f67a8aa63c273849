package main

import "strings"

// mostText limits the text of a command, in bytes.
const mostText = 300

// sqlShape returns a statement without its literals: "select owner from item where id = ?". Literals never leave this program. In MySQL's
// dialect, double quotes enclose literals, and a backslash escapes a quote.
func sqlShape(statement string, isMySQL bool) string {
	s := &shaper{text: statement, isMySQL: isMySQL}
	for s.at < len(statement) && s.shape.Len() < mostText {
		s.next()
	}
	return cutText(strings.TrimSpace(s.shape.String()))
}

// cutText truncates a text and removes invalid UTF-8.
func cutText(text string) string {
	if len(text) > mostText {
		text = text[:mostText] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// shaper reads a statement from left to right, each byte once.
type shaper struct {
	text    string
	isMySQL bool
	at      int
	shape   strings.Builder
	// The first placeholder of a list replaces all.
	isAfterPlaceholder bool
	// A comma after a placeholder, or a space, is written with the next token.
	pending string
}

func (s *shaper) next() {
	c, rest := s.text[s.at], s.text[s.at:]
	switch {
	case c <= ' ' || c == 0x7f:
		s.at++
		if s.pending == "" {
			s.pending = " "
		}
	case strings.HasPrefix(rest, "--") || c == '#' && s.isMySQL:
		s.skip(rest, "\n")
	case strings.HasPrefix(rest, "/*"):
		s.skip(rest, "*/")
	case c == '\'' || c == '"' && s.isMySQL:
		s.quoted(c, s.isMySQL || s.endsWithE())
		s.placeholder("?")
	case c == '"' || c == '`':
		from := s.at
		s.quoted(c, false)
		s.write(s.text[from:s.at])
	case c == '$' && len(rest) > 1 && isDigit(rest[1]):
		s.placeholder(s.word())
	case c == '$':
		s.dollarQuoted(rest)
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.word()
		s.placeholder("?")
	case isWord(c):
		s.write(s.word())
	case c == '?':
		s.at++
		s.placeholder("?")
	case c == ',' && s.isAfterPlaceholder:
		s.at++
		s.pending = ", "
	default:
		s.at++
		s.write(string(rest[:1]))
	}
}

func (s *shaper) write(part string) {
	s.shape.WriteString(s.pending)
	s.shape.WriteString(part)
	s.pending, s.isAfterPlaceholder = "", false
}

func (s *shaper) placeholder(part string) {
	if s.isAfterPlaceholder && s.pending == ", " {
		s.pending = ""
		return
	}
	s.write(part)
	s.isAfterPlaceholder = true
}

// word returns letters, digits and dots from here on.
func (s *shaper) word() string {
	from := s.at
	for s.at++; s.at < len(s.text) && (isWord(s.text[s.at]) || isDigit(s.text[s.at]) || s.text[s.at] == '.'); s.at++ {
	}
	return s.text[from:s.at]
}

// quoted skips to the end of a quoted text; a doubled quote is a part of it.
func (s *shaper) quoted(quote byte, escapes bool) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch {
		case escapes && s.text[s.at] == '\\':
			s.at++
		case s.text[s.at] == quote && s.at+1 < len(s.text) && s.text[s.at+1] == quote:
			s.at++
		case s.text[s.at] == quote:
			s.at++
			return
		}
	}
	s.at = len(s.text)
}

// dollarQuoted skips "$tag$ ... $tag$", a PostgreSQL literal.
func (s *shaper) dollarQuoted(rest string) {
	end := strings.IndexByte(rest[1:], '$')
	if end < 0 {
		s.at++
		s.write("$")
		return
	}
	s.skip(rest[end+2:], rest[:end+2])
	s.placeholder("?")
}

// skip moves past the end mark of the rest.
func (s *shaper) skip(rest, mark string) {
	at := strings.Index(rest, mark)
	if at < 0 {
		s.at = len(s.text)
		return
	}
	s.at = len(s.text) - len(rest) + at + len(mark)
}

// endsWithE is true if a PostgreSQL literal has escapes: E'it\'s'.
func (s *shaper) endsWithE() bool {
	return s.at > 0 && (s.text[s.at-1] == 'E' || s.text[s.at-1] == 'e') && (s.at == 1 || !isWord(s.text[s.at-2]))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWord includes all bytes of non-ASCII letters.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// pathShape returns a path without its query, and with ? for segments that are likely identifiers.
func pathShape(path string) string {
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	for place, segment := range segments {
		if isLikelyValue(segment) {
			segments[place] = "?"
		}
	}
	return cutText(strings.Join(segments, "/"))
}

// isLikelyValue is true if a segment of a path or subject is more than a name: it has a digit, is long, or contains characters that names lack.
// "v1" is a name.
func isLikelyValue(part string) bool {
	if len(part) == 2 && part[0] == 'v' {
		return false
	}
	for place := 0; place < len(part); place++ {
		if c := part[place]; !isWord(c) && c != '-' && c != '.' || c >= 0x80 {
			return true
		}
	}
	return len(part) > 24
}
