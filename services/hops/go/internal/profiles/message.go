package profiles

import "wiregauge/services/lib/pb/profilesv1"

// Messages returns parts in the form of a gRPC answer.
func Messages(parts []Part) []*profilesv1.Part {
	made := make([]*profilesv1.Part, len(parts))
	for index, part := range parts {
		entries := make([]*profilesv1.Entry, len(part.Entries))
		for place, entry := range part.Entries {
			entries[place] = &profilesv1.Entry{Key: entry.Key, Value: entry.Value}
		}
		made[index] = &profilesv1.Part{Name: part.Name, Entries: entries}
	}
	return made
}

// FromMessages reads the parts of a gRPC answer.
func FromMessages(parts []*profilesv1.Part) []Part {
	read := make([]Part, len(parts))
	for index, part := range parts {
		entries := make([]Entry, len(part.GetEntries()))
		for place, entry := range part.GetEntries() {
			entries[place] = Entry{Key: entry.GetKey(), Value: entry.GetValue()}
		}
		read[index] = Part{Name: part.GetName(), Entries: entries}
	}
	return read
}
