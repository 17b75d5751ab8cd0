// Package reach has units of jobs done by other machines, over NATS JetStream.
//
// A Coordinator is the crew (job.Crew) of a program that has the store; a Worker computes and has none.
// What is kept in the store alone is true. The queue holds the numbers of units and may lose them at any
// moment: the coordinator offers again what is neither stored nor in the queue. A worker acknowledges a
// unit once its answer is stored, so that one that dies gives back what it had; an answer that comes twice
// is compared with the first.
//
// Subjects, each a unit's own, so that a unit is in the queue once at most:
//
//	taper.unit.ENGINE.CLASS.JOB.STAGE.NUMBER  the queue, a stream in memory; CLASS is "any" or a class
//	taper.answer.JOB                          what a unit gave, answered when that is stored
//	taper.recipe.JOB                          what a worker opens the job from
//	taper.key.JOB                             the key of a job with rows, for a worker's own curve key
//	taper.rows.JOB                            a part of the rows, encrypted
//	taper.jobs                                the jobs a coordinator has, every beat
//	taper.worker                              a worker's state, every beat
package reach

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"taper/internal/engine/job"
)

const (
	streamName  = "TAPER_UNITS"
	unitPrefix  = "taper.unit."
	jobsSubject = "taper.jobs"
	helloOf     = "taper.worker"

	// beat spaces what coordinators and workers say of themselves.
	beat = 500 * time.Millisecond
	// lost is when a machine without a beat counts as gone.
	lost = 8 * beat
	// orphaned is how long a worker goes on without a word of the coordinator, who may be starting again.
	orphaned = 30 * time.Second
	// ackWait is when a unit whose worker says nothing is given to another.
	ackWait = 6 * time.Second
	// most is how often a unit may fail before it is left alone.
	mostFailures = 3
	// mostDeliveries is how often a unit may be given out without any answer: workers that die of it.
	mostDeliveries = 6
	// oldest bounds what a coordinator that never comes back leaves in the queue of a cluster.
	oldest = time.Hour
)

// opened is what a worker opens a stage of a job from.
type opened struct {
	job.Recipe
	Before [][][]byte `json:"before,omitempty"` // what the stages before answered
}

// offer is a unit in the queue.
type offer struct {
	Recipe string `json:"recipe"` // digest
	Sealed bool   `json:"sealed,omitempty"`
	Unit   string `json:"unit"` // id
	Stage  int    `json:"stage,omitempty"`
	Number int    `json:"number"`
}

// answer is what a unit gave.
type answer struct {
	Stage   int     `json:"stage,omitempty"`
	Number  int     `json:"number"`
	Body    []byte  `json:"body,omitempty"`
	Error   string  `json:"error,omitempty"`
	User    bool    `json:"user,omitempty"` // the error is a sentence for the user, the same on any machine
	Seconds float64 `json:"seconds"`

	job.Maker
}

// jobsOf is what a coordinator says: units of others of its jobs, and of earlier stages, are of no use any
// more.
type jobsOf struct {
	Coordinator string             `json:"coordinator"`
	Jobs        map[string]current `json:"jobs"` // by word
}

// current is where a job is.
type current struct {
	Stage int    `json:"stage"`
	Start string `json:"start"` // of the job: another one when it was paused and resumed, or its program killed
}

// hello is what a worker says of itself.
type hello struct {
	job.Maker
	Cores  int           `json:"cores"`
	Leaves bool          `json:"leaves,omitempty"` // it takes no more units
	Holds  []job.Holding `json:"holds,omitempty"`
}

// word turns a name into a part of a subject.
func word(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:6])
}

func digest(r []byte) string {
	sum := sha256.Sum256(r)
	return hex.EncodeToString(sum[:])
}

// wired is the id of a job as a word of a subject.
func wired(job string) string { return strings.ReplaceAll(job, ".", "_") }

func answersOf(job string) string { return "taper.answer." + wired(job) }

func recipeOf(job string) string { return "taper.recipe." + wired(job) }

func keyOf(job string) string { return "taper.key." + wired(job) }

func rowsOf(job string) string { return "taper.rows." + wired(job) }

// anyClass stands for every class of processors.
const anyClass = "any"

func unitSubject(engine, class, job string, stage, number int) string {
	return fmt.Sprintf("%s%s.%s.%s.%d.%d", unitPrefix, word(engine), classWord(class), wired(job), stage, number)
}

func classWord(class string) string {
	if class == "" {
		return anyClass
	}
	return word(class)
}

// jobOf is the job of a unit's subject, as a word.
func jobOf(subject string) string {
	parts := strings.Split(subject, ".")
	if len(parts) != 7 {
		return ""
	}
	return parts[4]
}

// queue is the stream of units. Its storage is memory: what it loses is offered again.
var queue = jetstream.StreamConfig{
	Name: streamName, Subjects: []string{unitPrefix + ">"}, Storage: jetstream.MemoryStorage,
	Retention: jetstream.WorkQueuePolicy, MaxAge: oldest,
	// A unit that is in the queue is refused a second time, so offering again does no harm.
	Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true,
	AllowDirect: true,
}

// consumer gives the units of an engine, and of a class or of any, to its workers.
func consumer(engine, class string) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       word(engine) + "-" + classWord(class),
		FilterSubject: fmt.Sprintf("%s%s.%s.>", unitPrefix, word(engine), classWord(class)),
		AckPolicy:     jetstream.AckExplicitPolicy, AckWait: ackWait,
		// Units that fail are counted by the coordinator: past a limit of the queue they would stay in it.
		MaxDeliver: -1, MaxAckPending: -1, InactiveThreshold: oldest,
	}
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("reach: " + err.Error()) // strings, numbers and bytes have JSON
	}
	return text
}
