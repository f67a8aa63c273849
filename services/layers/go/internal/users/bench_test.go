package users

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"

	"wiregauge/services/lib/pb/layersv1"
)

// A prepared message is serialized, as in the study; "mapped" begins and ends with the struct of a layer, as gRPC does between layers.

func BenchmarkSerialization(b *testing.B) {
	for _, one := range forms(b) {
		text, message := one.bytes(b)
		b.Run("protobuf/"+one.users, func(b *testing.B) { measure(b, len(message), func() error { return marshal(one.message) }) })
		b.Run("mapped/"+one.users, func(b *testing.B) {
			measure(b, len(message), func() error { return marshal(messageOf(one.value)) })
		})
		b.Run("json/"+one.users, func(b *testing.B) {
			measure(b, len(text), func() error { _, err := json.Marshal(one.value); return err })
		})
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, one := range forms(b) {
		text, message := one.bytes(b)
		b.Run("protobuf/"+one.users, func(b *testing.B) {
			measure(b, len(message), func() error { _, err := throughProtobuf(one.message); return err })
		})
		b.Run("mapped/"+one.users, func(b *testing.B) {
			measure(b, len(message), func() error {
				read, err := throughProtobuf(messageOf(one.value))
				valueOf(read)
				return err
			})
		})
		b.Run("json/"+one.users, func(b *testing.B) { measure(b, len(text), func() error { return throughJSON(one.value) }) })
	}
}

func measure(b *testing.B, bytes int, work func() error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(bytes), "B/answer")
}

func marshal(message proto.Message) error {
	_, err := proto.Marshal(message)
	return err
}

func throughProtobuf(message proto.Message) (proto.Message, error) {
	bytes, err := proto.Marshal(message)
	if err != nil {
		return nil, err
	}
	read := message.ProtoReflect().New().Interface()
	return read, proto.Unmarshal(bytes, read)
}

func throughJSON(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, isList := value.(List); isList {
		return json.Unmarshal(text, new(List))
	}
	return json.Unmarshal(text, new(User))
}

func messageOf(value any) proto.Message {
	if list, isList := value.(List); isList {
		return list.Message()
	}
	return &layersv1.GetUserResponse{User: value.(User).Message()}
}

func valueOf(message proto.Message) any {
	if list, isList := message.(*layersv1.ListUsersResponse); isList {
		return ListFromMessage(list)
	}
	return FromMessage(message.(*layersv1.GetUserResponse).GetUser())
}
