package reach

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"taper/internal/engine/usererr"
)

// Config says where the queue is and how it is reached. The zero value is no queue.
type Config struct {
	Listen      string // host:port of a queue of this program
	Queue       string // address of one that runs already: nats://HOST:PORT, or several with commas
	Credentials string // file of an nkey seed, or a creds file of NATS
	CA          string // file of certificates that sign the queue's; "" = those of the system
	Cert, Key   string // files of the certificate of a queue of this program
	Class       string // of processors, to which all jobs are held; "" = any
}

// On reports whether there is a queue.
func (c Config) On() bool { return c.Listen != "" || c.Queue != "" }

// Check refuses what would leave this machine without credentials and encryption.
func (c Config) Check() error {
	switch {
	case c.Listen != "" && c.Queue != "":
		return usererr.New(usererr.Invalid, "-workers and -queue exclude each other: -workers starts a queue in this "+
			"program, -queue uses one that runs already. Name one of them.")
	case (c.Cert == "") != (c.Key == ""):
		return usererr.New(usererr.Invalid, "-queue-cert and -queue-key belong together. Name both files, or none.")
	case c.Listen != "":
		return c.checkListen()
	case c.Queue != "":
		return c.checkQueue()
	}
	return nil
}

func (c Config) checkListen() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return usererr.New(usererr.Invalid, "%q is not an address for workers. Name one like 127.0.0.1:4222 with -workers.",
			c.Listen)
	}
	if !loopback(host) && (c.Credentials == "" || c.Cert == "") {
		return usererr.New(usererr.Forbidden, "%s can be reached from other machines, so its workers need a key and "+
			"encryption. Name the files with -queue-creds, -queue-cert and -queue-key (docs/reach.md says how to make "+
			"them), or listen on 127.0.0.1.", c.Listen)
	}
	return nil
}

func (c Config) checkQueue() error {
	for one := range strings.SplitSeq(c.Queue, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return usererr.New(usererr.Invalid, "%q is not the address of a queue. Name one like nats://host:4222 with "+
				"-queue.", one)
		}
		if u.User != nil {
			return usererr.New(usererr.Invalid, "The address of the queue holds a password, which every list of processes "+
				"shows. Name a file of credentials with -queue-creds instead.")
		}
		if !loopback(u.Hostname()) && (c.Credentials == "" || u.Scheme != "tls" && c.CA == "") {
			return usererr.New(usererr.Forbidden, "The queue %s is on another machine, so it takes credentials and "+
				"encryption. Name a file with -queue-creds, and write tls://%s or name the file of its certificate "+
				"authority with -queue-ca.", u.Host, u.Host)
		}
	}
	return nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// embedded is a queue of this program.
type embedded struct {
	server  *server.Server
	dir     string
	address string // by which workers join
}

// mostPayload lets a unit answer with the strata of some millions of rows.
const mostPayload = 8 << 20

// start starts the queue. It keeps nothing on the disk but a folder that the server insists on.
func start(c Config) (*embedded, error) {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	dir, err := os.MkdirTemp("", "taper-queue-")
	if err != nil {
		return nil, fmt.Errorf("folder of the queue: %w", err)
	}
	o := &server.Options{ServerName: "taper", Host: host, Port: number, NoSigs: true, NoLog: true, NoSystemAccount: true,
		JetStream: true, StoreDir: dir, JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 20,
		DisableJetStreamBanner: true, MaxPayload: mostPayload}
	if err := secure(o, c); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("queue: %w", err), os.RemoveAll(dir))
	}
	ln, err := net.Listen("tcp", c.Listen) // the server only logs that an address is taken
	if err != nil {
		return nil, errors.Join(usererr.New(usererr.Conflict, "Workers cannot be let in at %s: %v. Stop the other program, "+
			"or name another address with -workers.", c.Listen, errors.Unwrap(err)), os.RemoveAll(dir))
	}
	ln.Close()
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, errors.Join(usererr.New(usererr.Conflict, "The queue on %s did not start within 10 s.", c.Listen),
			os.RemoveAll(dir))
	}
	return &embedded{s, dir, joinedBy(s.ClientURL(), o.TLSConfig)}, nil
}

// joinedBy is the address by which workers reach a server. One that listens on all addresses is reached by the name in
// its certificate, which it has then (Check), and which workers compare.
func joinedBy(url string, secured *tls.Config) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, port, err := net.SplitHostPort(rest)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() || secured == nil {
		return url
	}
	switch cert := secured.Certificates[0].Leaf; {
	case len(cert.DNSNames) > 0:
		host = cert.DNSNames[0]
	case len(cert.IPAddresses) > 0:
		host = cert.IPAddresses[0].String()
	default:
		return url // an old certificate, with which no worker will agree
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// secure lets in whoever has the key, over TLS where there is a certificate.
func secure(o *server.Options, c Config) error {
	if c.Credentials != "" {
		seed, err := os.ReadFile(c.Credentials)
		if err != nil {
			return badFile("-queue-creds", c.Credentials, err)
		}
		pair, err := nkeys.ParseDecoratedNKey(seed)
		if err != nil {
			return usererr.New(usererr.Invalid, "%s, named by -queue-creds, holds no nkey seed: taper queue-creds FILE makes "+
				"one.", c.Credentials)
		}
		public, err := pair.PublicKey()
		if err != nil {
			return badFile("-queue-creds", c.Credentials, err)
		}
		o.Nkeys = []*server.NkeyUser{{Nkey: public}}
	}
	if c.Cert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return badFile("-queue-cert and -queue-key", c.Cert, err)
	}
	o.TLSConfig, o.TLSTimeout = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, 10
	return nil
}

func badFile(flag, path string, err error) error {
	e := usererr.New(usererr.Invalid, "%s, named by %s, cannot be read: %v.", path, flag, err)
	e.Cause = err
	return e
}

func (e *embedded) close() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
	os.RemoveAll(e.dir) //nolint:errcheck // an empty folder for temporary files
}

// connect joins the queue, or goes on trying until it is there.
func connect(c Config, e *embedded, name string) (*nats.Conn, error) {
	o := []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(beat), nats.RetryOnFailedConnect(true),
		nats.PingInterval(4 * beat), nats.MaxPingsOutstanding(3),
		nats.ReconnectBufSize(-1)} // what could not be sent is sent again by who knows whether it still matters
	if c.Credentials != "" {
		option, err := credentials(c.Credentials)
		if err != nil {
			return nil, err
		}
		o = append(o, option)
	}
	address := c.Queue
	if e != nil {
		o, address = append(o, nats.InProcessServer(e.server)), ""
	} else {
		if c.CA != "" {
			pool, err := authorities(c.CA)
			if err != nil {
				return nil, err
			}
			o = append(o, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
		}
	}
	nc, err := nats.Connect(address, o...)
	if err != nil {
		return nil, usererr.New(usererr.Invalid, "The queue %s cannot be used: %v.", c.Queue, err)
	}
	return nc, nil
}

func authorities(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, badFile("-queue-ca", path, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, usererr.New(usererr.Invalid, "%s, named by -queue-ca, holds no certificate in PEM.", path)
	}
	return pool, nil
}

// credentials reads an nkey seed or a creds file.
func credentials(path string) (nats.Option, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, badFile("-queue-creds", path, err)
	}
	if strings.Contains(string(text), "BEGIN NATS USER JWT") {
		return nats.UserCredentials(path), nil
	}
	option, err := nats.NkeyOptionFromSeed(path)
	if err != nil {
		return nil, usererr.New(usererr.Invalid, "%s, named by -queue-creds, holds neither an nkey seed nor credentials of "+
			"NATS: taper queue-creds FILE makes a seed.", path)
	}
	return option, nil
}

// NewKey writes a new nkey seed into a file that only its owner reads, and returns its public half.
func NewKey(path string) (public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	if public, err = pair.PublicKey(); err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	seed, err := pair.Seed()
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return "", usererr.New(usererr.Conflict, "%s exists already. Name another file, or remove it first.", path)
	}
	if err != nil {
		return "", fmt.Errorf("write the key: %w", err)
	}
	_, err = f.Write(append(seed, '\n'))
	return public, errors.Join(err, f.Close())
}
