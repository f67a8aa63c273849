package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// identity is a self-signed certificate for the name "service.test", and its key.
type identity struct {
	certificate, key string
	pair             tls.Certificate
}

func newIdentity(t *testing.T) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "service.test"}, DNSNames: []string{"service.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	found := identity{
		certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})),
	}
	found.pair, err = tls.X509KeyPair([]byte(found.certificate), []byte(found.key))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tlsCase is a service with its settings, a client with its own, and whether they cannot connect.
type tlsCase struct {
	server *tls.Config
	client tlsSettings
	fails  bool
}

// tlsCases are the requirements of both protocols for certificates.
func tlsCases(t *testing.T) map[string]tlsCase {
	t.Helper()
	own, client := newIdentity(t), newIdentity(t)
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM([]byte(client.certificate))
	plain := &tls.Config{Certificates: []tls.Certificate{own.pair}}
	mutual := &tls.Config{Certificates: []tls.Certificate{own.pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
	trusting := tlsSettings{CA: own.certificate, ServerName: "service.test"}
	known := trusting
	known.Certificate, known.Key = client.certificate, client.key
	return map[string]tlsCase{
		"authority":              {plain, trusting, false},
		"any certificate":        {plain, tlsSettings{Insecure: true}, false},
		"unknown authority":      {plain, tlsSettings{CA: client.certificate, ServerName: "service.test"}, true},
		"another name":           {plain, tlsSettings{CA: own.certificate}, true},
		"the client's own":       {mutual, known, false},
		"the client has none":    {mutual, trusting, true},
		"the client has another": {mutual, tlsSettings{Insecure: true, Certificate: own.certificate, Key: own.key}, true},
	}
}

func TestCallsOverTLS(t *testing.T) {
	for name, test := range tlsCases(t) {
		t.Run(name, func(t *testing.T) {
			service := serveStreams(t, test.server)
			b := streamLoad(t, service.address, "Echo", `{"text":"a"}`)
			b.Load.Target.Connection = &connection{TLS: &test.client}
			runLoads(t, newStage(), b)
			if !test.fails {
				allOK(t, b)
				return
			}
			for _, r := range recordsOf(t, b) {
				if !strings.Contains(r.failure, "Unavailable") {
					t.Fatalf("%q", r.failure)
				}
			}
		})
	}
}

func TestTLSThatCannotBeUsedIsAnErrorOfTheBlock(t *testing.T) {
	own, other := newIdentity(t), newIdentity(t)
	for want, settings := range map[string]tlsSettings{
		"tls.ca":  {CA: "no certificate"},
		"tls.key": {Certificate: own.certificate, Key: other.key},
	} {
		b := streamLoad(t, "127.0.0.1:9", "Echo", `{"text":"a"}`)
		b.Load.Target.Connection = &connection{TLS: &settings}
		if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; !strings.Contains(got, want) {
			t.Errorf("%q", got)
		}
	}
}
