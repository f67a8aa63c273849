package main

// frame is a message in its encoded form.
type frame []byte

// frames is a codec of grpc for messages that are encoded already, and answers that nobody reads: each is taken whole, and let go. To
// decode one into a dynamic message took more CPU time than the rest of the call, and several times its size in memory; see README.md.
type frames struct{}

// Marshal gives the message as it is.
func (frames) Marshal(message any) ([]byte, error) { return message.(frame), nil }

// Unmarshal leaves the answer alone.
func (frames) Unmarshal([]byte, any) error { return nil }

// Name is empty, so that the type of the content is "application/grpc", as ghz has it, and not that with a name behind it.
func (frames) Name() string { return "" }
