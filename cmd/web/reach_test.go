package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"taper/internal/machine"
	"taper/internal/testlog"
	"taper/internal/testtime"
)

// With asProgram in the environment the test binary runs the program, so that coordinator and workers are separate
// processes; with asQueue it runs a NATS server like that of a cluster.
const (
	asProgram = "TAPER_TEST_PROGRAM"
	asQueue   = "TAPER_TEST_QUEUE"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(asBlocked); os.Getenv(asProgram) != "" && file != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		p := program{env: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, kinds: blockedKinds(file)}
		code := p.run(ctx, os.Args[1:])
		stop()
		os.Exit(code)
	}
	if os.Getenv(asProgram) != "" {
		main()
	}
	if port := os.Getenv(asQueue); port != "" {
		serveQueue(port)
	}
	os.Exit(m.Run())
}

// serveQueue serves at a port, or at one that is free, and says at which address. While another process has the port,
// as its end of a connection, it waits.
func serveQueue(port string) {
	number, err := strconv.Atoi(port)
	if err != nil {
		panic(err)
	}
	for ; number != server.RANDOM_PORT; time.Sleep(50 * time.Millisecond) {
		ln, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err == nil {
			ln.Close()
			break
		}
		fmt.Fprintln(os.Stderr, portTaken, err)
	}
	dir, err := os.MkdirTemp("", "taper-test-queue-")
	if err != nil {
		panic(err)
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: number, NoLog: true, JetStream: true, StoreDir: dir})
	if err != nil {
		panic(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		panic("the queue does not start")
	}
	fmt.Printf("nats://%s\n", s.Addr())
	s.WaitForShutdown()
}

// portTaken is what a queue says while it waits for its port.
const portTaken = "the port is taken:"

// process is one process of a cluster.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner // of standard output
	log   *testlog.Log
}

// spawn starts this binary with an environment variable; it ends with the test.
func spawn(t *testing.T, env string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], args...), log: &testlog.Log{}}
	// Two cores on any machine, so that jobs last long enough to be killed.
	p.cmd.Env = append(os.Environ(), env, "TAPER_MEMORY=1GB", "GOMAXPROCS=2")
	p.cmd.Stderr = p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// line is the next line that the process writes.
func (p *process) line() string {
	p.t.Helper()
	if !p.lines.Scan() {
		p.kill()
		p.t.Fatalf("%v ended: %s", p.cmd.Args[1:], p.log)
	}
	return p.lines.Text()
}

// kill ends the process at once, as a crash does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()
}

// end stops the process by a signal and waits.
func (p *process) end() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%v after SIGTERM: %s", err, p.log)
	}
}

// coordinator is a program with a store.
type coordinator struct {
	*process
	url string
}

func coordinate(t *testing.T, dir string, args ...string) *coordinator {
	t.Helper()
	p := spawn(t, asProgram+"=1", append([]string{"-listen", "127.0.0.1:0", "-data", dir}, args...)...)
	_, rest, _ := strings.Cut(p.line(), " on ")
	url, _, ok := strings.Cut(rest, ",")
	if !ok {
		t.Fatalf("the program says %q: %s", rest, p.log)
	}
	return &coordinator{p, url}
}

// queue is the address at which workers join, from the second line of output.
func (c *coordinator) queue() string {
	c.t.Helper()
	_, url, ok := strings.Cut(c.line(), "-queue ")
	if !ok {
		c.t.Fatal("the program does not say where workers join")
	}
	return url
}

func work(t *testing.T, queue string) *process {
	t.Helper()
	w := spawn(t, asProgram+"=1", "worker", "-queue", queue, "-cores", "1")
	w.line()
	return w
}

// call sends a request to the API; false if there is no answer.
func (c *coordinator) call(method, path, body string, into any) bool {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return false
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		return false
	}
	if a.StatusCode >= 300 {
		c.t.Fatalf("%s %s: %d %s", method, path, a.StatusCode, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		c.t.Fatal(err)
	}
	return true
}

// studied is a study as the API returns it; its cells stay text, so that equal text means equal bits.
type studied struct {
	ID     string
	Status string
	Error  string
	Units  int
	Done   int `json:"units_done"`
	Cells  json.RawMessage
}

func (c *coordinator) study(body string) string {
	c.t.Helper()
	return c.studyWith("", body)
}

// studyWith starts a study on the terms of a query.
func (c *coordinator) studyWith(query, body string) string {
	c.t.Helper()
	var s studied
	if !c.call("POST", "/api/v1/studies"+query, body, &s) {
		c.t.Fatal("nobody answers")
	}
	return s.ID
}

// until waits until a study has a state.
func (c *coordinator) until(id string, reached func(studied) bool) studied {
	c.t.Helper()
	for {
		var s studied
		if !c.call("GET", "/api/v1/studies/"+id, "", &s) {
			c.t.Fatalf("nobody answers: %s", c.log)
		}
		if reached(s) {
			return s
		}
		if s.Status == "failed" || s.Status == "cancelled" {
			c.t.Fatalf("%+v: %s", s, c.log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func ended(s studied) bool { return s.Status == "done" }

// same describes the difference of a finished study to that of one process; "" if equal.
func (s studied) same(want string) string {
	switch at := 0; {
	case s.Done != s.Units || s.Units == 0:
		return fmt.Sprintf("%d of %d units are stored", s.Done, s.Units)
	case string(s.Cells) != want:
		for at < len(s.Cells) && at < len(want) && s.Cells[at] == want[at] {
			at++
		}
		return fmt.Sprintf("from byte %d its numbers are others: …%.80s, want …%.80s", at, s.Cells[at:], want[at:])
	}
	return ""
}

// sharedStudy has units that take long enough to be interrupted.
func sharedStudy(replicates int) string {
	return fmt.Sprintf(`{"dataset":{"generator":"moons","rows":300},"models":[{"loss":"logistic"},
		{"loss":"alpha","params":{"alpha":4},"l2":0.001}],"noise":{"kind":"symmetric","rates":[0,0.2]},
		"replicates":%d,"seed":3}`, replicates)
}

// alone is the study computed by one process without workers.
func alone(t *testing.T, study string) string {
	t.Helper()
	c := coordinate(t, filepath.Join(t.TempDir(), "alone"))
	s := c.until(c.study(study), ended)
	c.end()
	return string(s.Cells)
}

// TestReach: two machines compute a study to the same bits as one process, one of them is stopped in between, and a
// study without any worker is computed by the program itself.
func TestReach(t *testing.T) {
	study := sharedStudy(15)
	want := alone(t, study)
	c := coordinate(t, filepath.Join(t.TempDir(), "data"), "-workers", "127.0.0.1:0")
	queue := c.queue()
	if differs := c.until(c.study(study), ended).same(want); differs != "" {
		t.Errorf("without workers: %s", differs)
	}
	first, second := work(t, queue), work(t, queue)
	if differs := c.until(c.study(study), ended).same(want); differs != "" {
		t.Errorf("with two workers: %s", differs)
	}
	id := c.study(study)
	c.until(id, func(s studied) bool { return s.Done > 2 })
	first.end()
	if differs := c.until(id, ended).same(want); differs != "" {
		t.Errorf("after a worker left: %s", differs)
	}
	id = c.study(study)
	c.until(id, func(s studied) bool { return s.Done > 2 })
	second.kill()
	if differs := c.until(id, ended).same(want); differs != "" {
		t.Errorf("after the last worker was killed: %s", differs)
	}
	c.end()
}

// cluster is a separate queue, as run by an administrator. The server itself has the kernel choose its port, so that no
// other process can take the port before it is bound.
func cluster(t *testing.T) (address string, queue *process) {
	t.Helper()
	queue = spawn(t, fmt.Sprintf("%s=%d", asQueue, server.RANDOM_PORT))
	return queue.line(), queue
}

// again starts the queue of a cluster, which has ended, at its address.
func again(t *testing.T, address string) *process {
	t.Helper()
	queue := spawnAgain(t, address)
	queue.line()
	return queue
}

func spawnAgain(t *testing.T, address string) *process {
	t.Helper()
	return spawn(t, asQueue+"="+address[strings.LastIndexByte(address, ':')+1:])
}

// TestQueueAgainAtItsPort: a queue that starts again waits while another process has its port.
func TestQueueAgainAtItsPort(t *testing.T) {
	address, queue := cluster(t)
	queue.kill()
	taken, err := net.Listen("tcp", strings.TrimPrefix(address, "nats://"))
	if err != nil {
		t.Skip(err) // another process has taken the port
	}
	queue = spawnAgain(t, address)
	testtime.Until(t, "the queue to find its port taken", func() bool {
		return strings.Contains(queue.log.String(), portTaken)
	})
	taken.Close()
	if at := queue.line(); at != address {
		t.Errorf("the queue is at %s, not at %s", at, address)
	}
}

// TestQueueWiped: if the queue loses its content during a study, the units are offered again.
func TestQueueWiped(t *testing.T) {
	study := sharedStudy(15)
	want := alone(t, study)
	address, _ := cluster(t)
	c := coordinate(t, filepath.Join(t.TempDir(), "data"), "-queue", address)
	work(t, address)
	work(t, address)
	for n := 0; n < 2; n = strings.Count(c.log.String(), "worker joined") { // else it computes without the queue
		time.Sleep(10 * time.Millisecond)
	}
	nc, err := nats.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	id := c.study(study)
	wiped := 0
	for _, at := range []int{3, 12} {
		c.until(id, func(s studied) bool { return s.Done >= at })
		if js.DeleteStream(t.Context(), "TAPER_UNITS") == nil {
			wiped++
		}
	}
	if differs := c.until(id, ended).same(want); differs != "" {
		t.Error(differs)
	}
	if wiped == 0 {
		t.Error("the queue was never there to be wiped")
	}
}

// proxy is between a worker and the queue, and disturbs their connections as bad networks do.
type proxy struct {
	t  *testing.T
	ln net.Listener
	to string

	mu    sync.Mutex
	rng   *rand.Rand
	conns []net.Conn
	rough bool
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, ln: ln, to: strings.TrimPrefix(to, "nats://"), rng: rand.New(rand.NewPCG(7, 7)), rough: true}
	t.Cleanup(func() { ln.Close(); p.cut() })
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", p.to)
			if err != nil {
				in.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, in, out)
			p.mu.Unlock()
			go p.pass(in, out)
			go p.pass(out, in)
		}
	}()
	return p
}

func (p *proxy) address() string { return "nats://" + p.ln.Addr().String() }

// cut closes every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// pass copies bytes with occasional delays; sometimes data are lost and the connection ends with half a message
// sent.
func (p *proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		p.mu.Lock()
		fate, rough := p.rng.IntN(400), p.rough
		p.mu.Unlock()
		switch {
		case rough && fate == 0: // dropped
			_, _ = to.Write(b[:n/2])
			return
		case rough && fate < 40: // delayed
			time.Sleep(time.Duration(fate) * 5 * time.Millisecond)
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// TestRoughNetwork: delayed, lost and closed connections change no bit and lose no unit.
func TestRoughNetwork(t *testing.T) {
	study := sharedStudy(15)
	want := alone(t, study)
	address, _ := cluster(t)
	near, far := newProxy(t, address), newProxy(t, address)
	c := coordinate(t, filepath.Join(t.TempDir(), "data"), "-queue", near.address())
	work(t, far.address())
	work(t, far.address())
	id := c.study(study)
	for _, at := range []int{4, 10, 18} {
		c.until(id, func(s studied) bool { return s.Done >= at })
		far.cut()
		if at == 10 {
			near.cut()
		}
	}
	if differs := c.until(id, ended).same(want); differs != "" {
		t.Error(differs)
	}
}

// cycle is work that is begun again and again while machines are killed.
type cycle struct {
	name  string
	begin func()
	look  func() (state string, ended bool)
	same  func() string // how the result differs from that of one process
}

// studyCycle is a study as a cycle; c is the program of the moment.
func studyCycle(c **coordinator, name, query, body, want string) cycle {
	var id string
	var s studied
	return cycle{name: name,
		begin: func() { id = (*c).studyWith(query, body) },
		look: func() (string, bool) {
			if !(*c).call("GET", "/api/v1/studies/"+id, "", &s) || s.Status == "failed" || s.Status == "cancelled" {
				(*c).t.Fatalf("%+v: %s", s, (*c).log)
			}
			return fmt.Sprintf("%d of %d units", s.Done, s.Units), ended(s)
		},
		same: func() string { return s.same(want) }}
}

// jobsCycle is a run, its bootstrap, an audit and a trial, one after the other, as a cycle.
func jobsCycle(c **coordinator, name string, w workload, want [4]string) cycle {
	var path, run string
	var state func(map[string]any) any
	var at int
	var got [4]string
	next := func() { path, _, state = (*c).begin(w, steps[at], &run) }
	return cycle{name: name,
		begin: func() { at, got = 0, [4]string{}; next() },
		look: func() (string, bool) {
			if (*c).givenUp(path) {
				next()
				return steps[at], false
			}
			answer, ok := (*c).answer(path, state)
			if !ok {
				return steps[at], false
			}
			if got[at] = answer; at == len(steps)-1 {
				return "all", true
			}
			at++
			next()
			return steps[at], false
		},
		same: func() string {
			for i, step := range steps {
				if got[i] != want[i] {
					return fmt.Sprintf("the %s has other numbers: %.300s, want %.300s", step, got[i], want[i])
				}
			}
			return ""
		}}
}

// TestReachCrash kills a worker, the coordinator or the queue at random moments, during studies on generated data, on
// generated data by one class of processors, and on an upload whose rows may travel, and during runs, bootstraps, audits
// and trials on that upload: no unit is lost or counted twice, and the numbers are those of one process.
func TestReachCrash(t *testing.T) {
	kills := 20
	if n, err := strconv.Atoi(os.Getenv("TAPER_CRASH")); err == nil {
		kills = n
	}
	address, queue := cluster(t)
	upload := fmt.Sprintf(clinicStudy, "%s", 120)
	share := "?share_rows=" + url.QueryEscape(address)
	one := coordinate(t, filepath.Join(t.TempDir(), "alone"))
	generated := string(one.until(one.study(sharedStudy(30)), ended).Cells)
	data := one.upload(clinic())
	uploaded := string(one.until(one.study(fmt.Sprintf(upload, data)), ended).Cells)
	jobs, _ := one.do(workload{data: data, spec: longRun, replicates: 60})
	one.end()

	dir := filepath.Join(t.TempDir(), "data")
	c := coordinate(t, dir, "-queue", address)
	data = c.upload(clinic())
	all := []cycle{
		studyCycle(&c, "study of generated data", "", sharedStudy(30), generated),
		jobsCycle(&c, "jobs on an upload", workload{data: data, spec: longRun, share: share, replicates: 60}, jobs),
		studyCycle(&c, "study held to a class", "?class="+url.QueryEscape(machine.Class()), sharedStudy(30), generated),
		studyCycle(&c, "study of an upload", share, fmt.Sprintf(upload, data), uploaded),
	}
	workers := []*process{work(t, address), work(t, address)}
	rng := rand.New(rand.NewPCG(20, uint64(kills)))
	cycles := 0
	current := func() cycle { return all[cycles%len(all)] }
	check := func() {
		t.Helper()
		if differs := current().same(); differs != "" {
			t.Fatalf("cycle %d (%s): %s", cycles, current().name, differs)
		}
		cycles++
	}
	current().begin()
	for kill := range kills {
		time.Sleep(time.Duration(rng.IntN(1200)) * time.Millisecond)
		victim := rng.IntN(4)
		switch victim {
		case 0:
			queue.kill()
			queue = again(t, address)
		case 1:
			c.kill()
			c = coordinate(t, dir, "-queue", address)
		default:
			workers[victim-2].kill()
			workers[victim-2] = work(t, address)
		}
		state, ended := current().look()
		t.Logf("kill %d of %s: %s of the %s", kill, []string{"queue", "coordinator", "worker", "worker"}[victim], state,
			current().name)
		if strings.Contains(c.log.String(), "units of a job are not kept") {
			t.Fatalf("a kept unit was computed again: %s", c.log)
		}
		if ended {
			check()
			current().begin()
		}
	}
	finish := func() {
		for ended := false; !ended; _, ended = current().look() {
			time.Sleep(20 * time.Millisecond)
		}
		check()
	}
	for finish(); cycles < len(all); finish() { // each kind once at least
		current().begin()
	}
	t.Logf("%d kills, %d cycles with the bits of one process", kills, cycles)
}

// TestReachSealed: with a key and a certificate workers join over TLS; without one of them they cannot.
func TestReachSealed(t *testing.T) {
	dir := t.TempDir()
	key, cert, private := filepath.Join(dir, "queue.nk"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if code, out, stderr := tryRun(t, "", nil, "queue-creds", key); code != 0 || !strings.Contains(out, "public half is U") {
		t.Fatalf("%d %s %s", code, out, stderr)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is readable by others: %v, %v", info.Mode(), err)
	}
	certify(t, cert, private)
	c := coordinate(t, filepath.Join(dir, "data"), "-workers", "127.0.0.1:0", "-queue-creds", key, "-queue-cert", cert,
		"-queue-key", private)
	queue := strings.Replace(c.queue(), "nats://", "tls://", 1)
	for _, o := range [][]nats.Option{{nats.RootCAs(cert)}, {nats.RootCAs(cert), nats.Nkey("UBOGUS", nil)}} {
		if nc, err := nats.Connect(queue, o...); err == nil {
			nc.Close()
			t.Errorf("a stranger is let in")
		}
	}
	w := spawn(t, asProgram+"=1", "worker", "-queue", queue, "-cores", "1", "-queue-creds", key, "-queue-ca", cert)
	w.line()
	for !strings.Contains(c.log.String(), "worker joined") {
		time.Sleep(20 * time.Millisecond)
	}
	study := sharedStudy(5)
	if differs := c.until(c.study(study), ended).same(alone(t, study)); differs != "" {
		t.Error(differs)
	}
	w.end()
	c.end()
}

// certify writes a self-signed certificate for this machine.
func certify(t *testing.T, cert, private string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "queue"},
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(crand.Reader, &own, &own, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]pem.Block{cert: {Type: "CERTIFICATE", Bytes: der},
		private: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNothingWithoutFlags: a program that was started without the flags of the queue has no goroutine of NATS and
// listens at its own address alone; with -workers it has both.
func TestNothingWithoutFlags(t *testing.T) {
	for _, test := range []struct {
		args      []string
		listeners int
		nats      bool
	}{{nil, 1, false}, {[]string{"-workers", "127.0.0.1:0"}, 2, true}} {
		c := coordinate(t, filepath.Join(t.TempDir(), "data"), test.args...)
		var studies json.RawMessage
		if !c.call("GET", "/api/v1/studies", "", &studies) { // the address is said before everything has begun
			t.Fatal("nobody answers")
		}
		if n, ok := listeners(c.cmd.Process.Pid); ok && n != test.listeners {
			t.Errorf("%q listens at %d addresses, want %d", test.args, n, test.listeners)
		}
		if err := c.cmd.Process.Signal(syscall.SIGQUIT); err != nil { // the runtime writes all goroutines and ends
			t.Fatal(err)
		}
		_ = c.cmd.Wait() // with an error, as it was ended
		stacks := c.log.String()
		if !strings.Contains(stacks, "goroutine ") || !strings.Contains(stacks, "net/http") {
			t.Fatalf("%q does not say its goroutines: %s", test.args, stacks)
		}
		if nats := strings.Contains(stacks, "created by github.com/nats-io"); nats != test.nats {
			t.Errorf("%q has goroutines of NATS: %v, want %v", test.args, nats, test.nats)
		}
	}
}

// listeners counts the addresses at which a process listens; false where the system does not say it like Linux.
func listeners(pid int) (n int, ok bool) {
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0, false
	}
	own := map[string]bool{}
	for _, f := range files {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, f.Name())) // one that was closed meanwhile
		if inode, is := strings.CutPrefix(to, "socket:["); is {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			return 0, false
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && own[f[9]] { // 0A: listens
				n++
			}
		}
	}
	return n, true
}
