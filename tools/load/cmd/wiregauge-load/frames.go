package main

// frame is a message in its encoded form.
type frame []byte

// frames is a codec of grpc for messages that are encoded already, and responses that are not decoded: each is received whole and dropped.
// Decoding one into a dynamic message took more CPU time than the rest of the call, and several times its size in memory; see README.md.
type frames struct{}

// Marshal returns the message unchanged.
func (frames) Marshal(message any) ([]byte, error) { return message.(frame), nil }

// Unmarshal leaves the answer alone, but for a watch that is to see it.
func (frames) Unmarshal(message []byte, into any) error {
	if seen, ok := into.(*watch); ok {
		seen.see(message)
	}
	return nil
}

// Name is empty, so that the type of the content is "application/grpc", as ghz has it, and not that with a name behind it.
func (frames) Name() string { return "" }
