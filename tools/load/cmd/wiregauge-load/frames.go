package main

// frame is an encoded message.
type frame []byte

// frames is a codec of grpc for messages that are already encoded, and responses that are not decoded: each is fully received and dropped.
// Decoding one into a dynamic message took more CPU time than the rest of the call, and several times its size in memory; see README.md.
type frames struct{}

// Marshal returns the message unchanged.
func (frames) Marshal(message any) ([]byte, error) { return message.(frame), nil }

// Unmarshal ignores the answer, except for a watch that must see it.
func (frames) Unmarshal(message []byte, into any) error {
	if seen, ok := into.(*watch); ok {
		seen.see(message)
	}
	return nil
}

// Name is empty, so that the content type is "application/grpc", as with ghz, without a suffix.
func (frames) Name() string { return "" }
