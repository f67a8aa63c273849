package main

import (
	"net"
	"testing"
)

func TestTheRoundTripTimeIsThatOfAConnectionThatIsAcceptedOrRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	accepted, err := roundTripTime(address)
	if err != nil || accepted <= 0 {
		t.Errorf("accepted: %v, %v", accepted, err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	refused, err := roundTripTime(address)
	if err != nil || refused <= 0 {
		t.Errorf("refused: %v, %v", refused, err)
	}
}

func TestAnAddressThatCannotBeReachedHasNoRoundTripTime(t *testing.T) {
	if took, err := roundTripTime("127.0.0.1:99999"); err == nil {
		t.Errorf("took %v", took)
	}
}
