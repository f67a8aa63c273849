// Package certificate has the certificate that api01 uses for TLS and api02 trusts. Both generate the same one, so that no file has to
// be shared. So can anyone else: it shows the cost of TLS, and protects nothing.
package certificate

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"
)

// host is the name that the certificate is for, wherever api01 runs.
const host = "api01"

// Server returns the settings of a TLS server that only supports HTTP/2.
func Server() (*tls.Config, error) {
	made, key, err := certificate()
	if err != nil {
		return nil, err
	}
	own := tls.Certificate{Certificate: [][]byte{made.Raw}, PrivateKey: key}
	return &tls.Config{Certificates: []tls.Certificate{own}, NextProtos: []string{"h2"}}, nil
}

// Client returns the settings of a client that only trusts that server.
func Client() (*tls.Config, error) {
	made, _, err := certificate()
	if err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(made)
	return &tls.Config{RootCAs: trusted, ServerName: host}, nil
}

// certificate is the same at each call: Ed25519 signs deterministically.
func certificate() (*x509.Certificate, ed25519.PrivateKey, error) {
	seed := sha256.Sum256([]byte("what TLS costs between api01 and api02"))
	key := ed25519.NewKeyFromSeed(seed[:])
	wanted := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: host},
		DNSNames:     []string{host},
		NotBefore:    time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2124, time.January, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, wanted, wanted, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	made, err := x509.ParseCertificate(raw)
	return made, key, err
}
