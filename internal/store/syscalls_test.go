package store

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Faults of a disk, simulated for the whole program. With seccomp's user notification the
// kernel passes each file operation of a child process to this process, which lets it proceed,
// makes it fail, does half of it, or kills the child. This covers SQLite and Go alike, and the
// tested program is the shipped one, without hooks for tests.

// faultKind is what happens to an operation and to later ones.
type faultKind string

const (
	noFault  faultKind = "none"
	onceEIO  faultKind = "EIO once"
	onceFull faultKind = "ENOSPC once"
	dead     faultKind = "EIO from here on"    // a dead disk
	diskFull faultKind = "ENOSPC from here on" // operations that take space fail, others do not
	torn     faultKind = "half, then EIO"      // half of the bytes are written
	killed   faultKind = "kill"
	tornKill faultKind = "half, then kill"
)

// operation is a system call that changes a folder or makes a change durable.
type operation struct {
	name string
	path int  // index of the argument that is a path; −1 = the first argument is a descriptor
	dirs int  // index of the argument with the folder of relative paths; −1 = none
	take bool // takes space
}

var operations = map[int32]operation{
	unix.SYS_WRITE:     {"write", -1, -1, true},
	unix.SYS_PWRITE64:  {"write", -1, -1, true},
	unix.SYS_FSYNC:     {"sync", -1, -1, false},
	unix.SYS_FDATASYNC: {"sync", -1, -1, false},
	unix.SYS_FTRUNCATE: {"truncate", -1, -1, false},
	unix.SYS_TRUNCATE:  {"truncate", 0, -1, false},
	unix.SYS_OPENAT:    {"open", 1, 0, true},
	unix.SYS_RENAMEAT:  {"rename", 1, 0, false},
	unix.SYS_RENAMEAT2: {"rename", 1, 0, false},
	unix.SYS_UNLINKAT:  {"unlink", 1, 0, false},
	unix.SYS_LINKAT:    {"link", 3, 2, true},
	unix.SYS_MKDIRAT:   {"mkdir", 1, 0, true},
	unix.SYS_FCHMOD:    {"chmod", -1, -1, false},
	unix.SYS_FCHMODAT:  {"chmod", 1, 0, false},
}

// handOver makes the kernel send every such operation of this process to the listener on the
// socket.
func handOver(socket int) error {
	code := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	left := len(operations)
	for number := range operations {
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(left), K: uint32(number)})
		left--
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	runtime.LockOSThread() // the right to set a filter belongs to a thread
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	listener, _, fault := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_TSYNC|unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH,
		uintptr(unsafe.Pointer(&program)))
	if fault != 0 {
		return fault
	}
	return unix.Sendmsg(socket, []byte{0}, unix.UnixRights(int(listener)), nil, 0)
}

// asked is struct seccomp_notif, answer struct seccomp_notif_resp of linux/seccomp.h.
type asked struct {
	id         uint64
	pid, flags uint32
	number     int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

type answer struct {
	id    uint64
	value int64
	fault int32
	flags uint32
}

const goOn = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE

// disk decides about operations on files below a folder.
type disk struct {
	root     string
	kind     faultKind
	at       int // number of the operation that fails, from 1
	process  *os.Process
	listener int
	handle   int // of the process

	seen   []string    // operations so far
	failed string      // the operation that failed
	rest   uint64      // descriptor of a half-done write, plus 1
	over   atomic.Bool // all operations proceed
}

// pass lets all operations proceed from now on.
func (d *disk) pass() { d.over.Store(true) }

// newDisk waits for handOver in the child.
func newDisk(socket *net.UnixConn, process *os.Process, root string, kind faultKind, at int) (*disk, error) {
	part, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, r, _, _, err := socket.ReadMsgUnix(part, rights)
	if err != nil || n == 0 || r == 0 {
		return nil, fmt.Errorf("no hand-over: %v", err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:r])
	if err != nil {
		return nil, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	d := &disk{root: root, kind: kind, at: at, process: process, listener: fds[0]}
	d.handle, err = unix.PidfdOpen(process.Pid, 0)
	return d, err
}

// serve answers until the process has ended.
func (d *disk) serve() error {
	defer unix.Close(d.listener)
	defer unix.Close(d.handle)
	for {
		ready := []unix.PollFd{{Fd: int32(d.listener), Events: unix.POLLIN}, {Fd: int32(d.handle), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR {
			return err
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			if ready[0].Revents != 0 || ready[1].Revents != 0 {
				return nil
			}
			continue
		}
		var q asked
		if err := d.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&q)); err == unix.ENOENT || err == unix.EINTR {
			continue // its thread has died, or a signal came first
		} else if err != nil {
			return err
		}
		a := d.judge(q)
		if err := d.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)); err != nil && err != unix.ENOENT {
			return err
		}
	}
}

func (d *disk) ioctl(request uintptr, p unsafe.Pointer) error {
	_, _, err := unix.Syscall(unix.SYS_IOCTL, uintptr(d.listener), request, uintptr(p))
	if err != 0 {
		return err
	}
	return nil
}

// judge decides about one operation.
func (d *disk) judge(q asked) answer {
	pass := answer{id: q.id, flags: goOn}
	op := operations[q.number]
	file, ok := d.file(q, op)
	if !ok || d.over.Load() {
		return pass
	}
	d.seen = append(d.seen, op.name+" "+file)
	n := len(d.seen)
	fails := func(with syscall.Errno) answer {
		if d.failed == "" {
			d.failed = op.name + " " + file
		}
		return answer{id: q.id, fault: -int32(with)}
	}
	if d.rest != 0 && op.name == "write" && d.rest == q.args[0]+1 {
		d.rest = 0
		return fails(unix.EIO)
	}
	switch {
	case n < d.at || d.kind == noFault, n > d.at && d.kind != dead && d.kind != diskFull:
		return pass
	case d.kind == onceEIO || d.kind == dead:
		return fails(unix.EIO)
	case d.kind == onceFull, d.kind == diskFull && op.take:
		return fails(unix.ENOSPC)
	case d.kind == diskFull:
		return pass
	}
	var half int
	if d.kind == torn || d.kind == tornKill {
		if op.name != "write" || q.args[2] < 2 {
			d.failed = "none: not a write"
			return pass
		}
		half = d.half(q)
	}
	d.failed = op.name + " " + file
	if d.kind == torn {
		d.rest = q.args[0] + 1
		return answer{id: q.id, value: int64(half)}
	}
	_ = d.process.Kill()
	return pass // the value is not used
}

// half does the first half of a write on behalf of the process.
func (d *disk) half(q asked) int {
	data := make([]byte, q.args[2]/2)
	read, err := unix.ProcessVMReadv(int(q.pid), []unix.Iovec{{Base: &data[0], Len: uint64(len(data))}},
		[]unix.RemoteIovec{{Base: uintptr(q.args[1]), Len: len(data)}}, 0)
	if err != nil {
		panic(err)
	}
	fd, err := unix.PidfdGetfd(d.handle, int(q.args[0]), 0)
	if err != nil {
		panic(err)
	}
	defer unix.Close(fd)
	if q.number == unix.SYS_PWRITE64 {
		_, err = unix.Pwrite(fd, data[:read], int64(q.args[3]))
	} else {
		_, err = unix.Write(fd, data[:read])
	}
	if err != nil {
		panic(err)
	}
	return read
}

// file is the path of an operation's file below the folder; false for other files.
func (d *disk) file(q asked, op operation) (string, bool) {
	var path string
	if op.path < 0 {
		path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", q.pid, int32(q.args[0])))
	} else {
		path = readText(int(q.pid), uintptr(q.args[op.path]))
		if !filepath.IsAbs(path) && op.dirs >= 0 && int32(q.args[op.dirs]) != unix.AT_FDCWD {
			dir, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", q.pid, int32(q.args[op.dirs])))
			path = filepath.Join(dir, path)
		}
	}
	rel, ok := strings.CutPrefix(path, d.root+"/")
	return rel, ok
}

// readText reads a C string of another process.
func readText(pid int, at uintptr) string {
	var text []byte
	for len(text) < unix.PathMax {
		part := make([]byte, 256)
		// Do not read into the next page, which may not be mapped.
		part = part[:min(len(part), os.Getpagesize()-int(at)%os.Getpagesize())]
		n, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &part[0], Len: uint64(len(part))}},
			[]unix.RemoteIovec{{Base: at, Len: len(part)}}, 0)
		if err != nil || n <= 0 {
			break
		}
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(append(text, part[:end]...))
		}
		text, at = append(text, part[:n]...), at+uintptr(n)
	}
	return string(text)
}

// canInterpose says why the kernel does not allow this; "" if it does.
func canInterpose() string {
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	_, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if err != 0 {
		return "the kernel hands over no system calls: " + error(err).Error()
	}
	return ""
}
