package reach

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
)

// TestJoinedBy: workers get an address that they can use, also of a queue that listens on all addresses.
func TestJoinedBy(t *testing.T) {
	named := &x509.Certificate{DNSNames: []string{"store.example.org", "store"}}
	numbered := &x509.Certificate{IPAddresses: []net.IP{net.ParseIP("2001:db8::7")}}
	for _, test := range []struct {
		url  string
		cert *x509.Certificate
		want string
	}{
		{"nats://127.0.0.1:4222", nil, "nats://127.0.0.1:4222"},
		{"tls://10.0.0.7:4222", named, "tls://10.0.0.7:4222"},
		{"tls://0.0.0.0:4222", named, "tls://store.example.org:4222"},
		{"tls://[::]:4222", named, "tls://store.example.org:4222"},
		{"tls://0.0.0.0:4222", numbered, "tls://[2001:db8::7]:4222"},
		{"tls://0.0.0.0:4222", &x509.Certificate{}, "tls://0.0.0.0:4222"},
	} {
		var secured *tls.Config
		if test.cert != nil {
			secured = &tls.Config{Certificates: []tls.Certificate{{Leaf: test.cert}}}
		}
		if got := joinedBy(test.url, secured); got != test.want {
			t.Errorf("%s: %s, want %s", test.url, got, test.want)
		}
	}
}
