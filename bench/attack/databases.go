package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// databases are data folders that were lost, damaged, mixed up or filled.
func databases() []attack {
	const refusal = "exit status 1, one sentence, and nothing changed"
	damaged := func(name, sent string, damage func(s *scene, dir string) error, words ...string) attack {
		return attack{name: name, sent: sent, want: refusal + wantedWords(words), do: func(s *scene) {
			dir := s.copied(name)
			if err := damage(s, dir); err != nil {
				s.missf("%v", err)
				return
			}
			before := sum(dir)
			s.fails(name, dir, nil, words...)
			if sum(dir) != before {
				s.missf("the folder was changed")
			}
		}}
	}
	write := func(s *scene, dir string, at int64, bytes []byte) error {
		f, err := os.OpenFile(filepath.Join(dir, "taper.db"), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteAt(bytes, at)
		return err
	}
	return []attack{
		damaged("cut short", "taper.db without its second half", func(s *scene, dir string) error {
			file := filepath.Join(dir, "taper.db")
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			return os.Truncate(file, info.Size()/2)
		}, "damaged"),
		damaged("overwritten pages", "every fifth page of taper.db overwritten", func(s *scene, dir string) error {
			info, err := os.Stat(filepath.Join(dir, "taper.db"))
			for at := int64(4096); err == nil && at < info.Size(); at += 5 * 4096 {
				err = write(s, dir, at, bytes.Repeat([]byte{0xa5}, 4096))
			}
			return err
		}, "damaged"),
		damaged("no database", "taper.db is a text", func(s *scene, dir string) error {
			return os.WriteFile(filepath.Join(dir, "taper.db"), []byte(smallTable), 0o600)
		}, "taper.db"),
		damaged("lost", "uploads and no taper.db", func(s *scene, dir string) error {
			return os.Remove(filepath.Join(dir, "taper.db"))
		}, "taper.db", "backup"),
		damaged("empty", "uploads and a taper.db of 0 bytes", func(s *scene, dir string) error {
			return os.Truncate(filepath.Join(dir, "taper.db"), 0)
		}, "taper.db"),
		damaged("of a newer version", "a schema that this program does not know", func(s *scene, dir string) error {
			return execute(dir, "PRAGMA user_version = 9999")
		}, "newer"),
		damaged("another's folder", "a folder of documents", func(s *scene, dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "letter.txt"), []byte("Dear"), 0o644)
		}, "empty folder"),
		damaged("a file", "-data names a file", func(s *scene, dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, nil, 0o644)
		}),
		{name: "two programs", sent: "a second program on the same folder", want: refusal, do: func(s *scene) {
			s.fails("the second", s.data, nil, "another")
		}},
		{name: "the log lost", sent: "kill −9, then taper.db-wal and -shm deleted", want: "a start, sound, or one sentence",
			do: func(s *scene) { s.afterKill(func(dir string) error { return removeLog(dir) }) }},
		{name: "the log of another", sent: "kill −9, then the log of another database in its place",
			want: "a start, sound, or one sentence", do: func(s *scene) {
				other := filepath.Join(s.dir, "other")
				p, err := start(s.ctx, s.taper, other, nil, nil, s.args...)
				if err != nil {
					s.missf("%v", err)
					return
				}
				ask(s.ctx, s.client, p.base, http.MethodPost, "/api/v1/datasets/generate", "application/json",
					bytes.NewReader([]byte(`{"generator":"moons","rows":100,"seed":1}`)))
				p.kill()
				s.afterKill(func(dir string) error {
					log, err := os.ReadFile(filepath.Join(other, "taper.db-wal"))
					if err != nil {
						return err
					}
					if err := removeLog(dir); err != nil {
						return err
					}
					return os.WriteFile(filepath.Join(dir, "taper.db-wal"), log, 0o600)
				})
			}},
		{name: "deleted while it runs", sent: "the data folder deleted, then reads, an upload and a run",
			want: "answers below 500 or a sentence, and an end on SIGTERM", do: deletedFolder},
		{name: "a full disk", sent: "a disk of 32 MB filled; then an upload, a run, a backup, a delete; then space again",
			want: "507 for what stores, 204 for the delete, a sentence for the backup, and 201 afterwards", do: fullDisk},
		{name: "a disk that only reads", sent: "a start on a disk mounted read-only", want: refusal, do: readOnly},
		{name: "no rights", sent: "as nobody: rights of the folder taken away while it runs, and a start without them",
			want: "answers, none of them a success that stored nothing; a sentence at the start", do: noRights},
		{name: "backup and restore", sent: "a backup of all that was attacked, whole, cut short, and with a byte changed",
			want: "the whole one is restored, the others are refused with a sentence", do: backups},
	}
}

func wantedWords(words []string) (all string) {
	for _, w := range words {
		all += ", ‘" + w + "’"
	}
	return all
}

func execute(dir, statement string) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "taper.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(statement)
	return err
}

func removeLog(dir string) error {
	for _, f := range []string{"taper.db-wal", "taper.db-shm"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// copied copies a folder with a dataset, its upload and a run, after its program has stopped.
func (s *scene) copied(name string) string {
	whole := filepath.Join(s.dir, "whole")
	if _, err := os.Stat(whole); err != nil {
		if err := s.furnished(whole); err != nil {
			s.missf("no folder: %v", err)
		}
	}
	dir := filepath.Join(s.dir, "of "+name)
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		s.missf("no copy: %v", err)
	}
	_ = os.Chmod(dir, 0o700)
	return dir
}

// furnished makes a folder with the content of the scene's.
func (s *scene) furnished(dir string) error {
	p, err := start(s.ctx, s.taper, dir, nil, nil, s.args...)
	if err != nil {
		return err
	}
	other := *s
	other.program = p
	if err := other.furnish(); err != nil {
		return err
	}
	s.copiedDataset = other.dataset
	return p.stop()
}

// sum hashes all files with their names, except for the lock.
func sum(dir string) string {
	h := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == "taper.lock" {
			return err
		}
		fmt.Fprintln(h, path)
		if e.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			h.Write(text)
		}
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil))
}

// afterKill starts a killed program again after its folder was changed. It must start with a sound database, or
// give the reason why not.
func (s *scene) afterKill(do func(dir string) error) {
	dir := s.copied(fmt.Sprint("kill ", len(entries(s.dir))))
	p, err := start(s.ctx, s.taper, dir, nil, nil, s.args...)
	if err != nil {
		s.missf("%v", err)
		return
	}
	ask(s.ctx, s.client, p.base, http.MethodPost, "/api/v1/datasets/generate", "application/json",
		bytes.NewReader([]byte(`{"generator":"xor","rows":100,"seed":1}`)))
	p.kill()
	if err := do(dir); err != nil {
		s.missf("%v", err)
		return
	}
	if p, err = start(s.ctx, s.taper, dir, nil, nil, s.args...); err != nil {
		s.note("%v", err)
		s.fails("the start", dir, nil)
		return
	}
	defer p.kill()
	a := ask(s.ctx, s.client, p.base, http.MethodGet, "/data", "", nil)
	s.note("GET /data: %v", a)
	if a.status != http.StatusOK {
		s.missf("GET /data: %v", a)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "taper.db")+"?mode=ro&_pragma=busy_timeout(60000)")
	if err != nil {
		s.missf("%v", err)
		return
	}
	defer db.Close()
	var sound string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
		s.missf("damaged: %s, %v", sound, err)
	}
}

// at is the scene with another program.
func (s *scene) at(p *program, data string) *scene {
	other := *s
	other.program, other.data = p, data
	return &other
}

func deletedFolder(s *scene) {
	dir := s.copied("deletion")
	p, err := start(s.ctx, s.taper, dir, nil, nil, s.args...)
	if err != nil {
		s.missf("%v", err)
		return
	}
	o := s.at(p, dir)
	o.get("/healthz") // it has started
	if err := os.RemoveAll(dir); err != nil {
		s.missf("%v", err)
	}
	for _, a := range []answer{o.get("/healthz"), o.get("/"), o.get("/data"), o.get("/runs"),
		o.post("/api/v1/runs", o.spec(nil))} {
		s.note("%v", a)
		if a.err != nil {
			s.missf("no answer: %v", a)
		}
	}
	a := o.upload("t.csv", func(w io.Writer) error { _, err := io.WriteString(w, smallTable); return err })
	s.note("%v", a)
	if a.status < 400 {
		s.missf("an upload is stored nowhere: %v", a)
	}
	s.look(p)
	if err := p.stop(); err != nil {
		s.note("it ended with: %v", err)
	}
}

func fullDisk(s *scene) {
	disk := filepath.Join(s.dir, "full")
	unmount, err := smallDisk(disk, 48)
	if err != nil {
		s.note("left out: %v", err)
		return
	}
	defer unmount()
	dir := filepath.Join(disk, "data")
	if err := os.CopyFS(dir, os.DirFS(s.copied("a full disk"))); err != nil {
		s.missf("%v", err)
		return
	}
	p, err := start(s.ctx, s.taper, dir, nil, nil, s.args...)
	if err != nil {
		s.missf("%v", err)
		return
	}
	defer p.kill()
	o := s.at(p, dir)
	var all struct{ Items []struct{ ID string } }
	a := o.get("/api/v1/datasets")
	if err := json.Unmarshal(a.body, &all); err != nil || len(all.Items) == 0 {
		s.missf("no dataset: %v", a)
		return
	}
	filler := filepath.Join(disk, "filler")
	refill := func() {
		if err := fill(filler); err != nil {
			s.missf("%v", err)
		}
	}
	refill()
	table := func(w io.Writer) error {
		if _, err := io.WriteString(w, smallTable); err != nil {
			return err
		}
		return repeated(w, "1,2\n", 100_000)
	}
	full := []int{http.StatusInsufficientStorage}
	s.refused("an upload", o.upload("t.csv", table), full, "full")
	refill() // space reserved by the refused upload, or freed from a truncated log
	// A small generated dataset fits into the free pages of the database's log, so it is stored.
	s.refused("a generator", o.post("/api/v1/datasets/generate", `{"generator":"xor","rows":20000,"seed":1}`),
		append(full, http.StatusCreated))
	o.dataset = s.copiedDataset // the list also has the samples
	run := o.post("/api/v1/runs", o.spec(nil))
	s.refused("a run", run, []int{http.StatusInsufficientStorage, http.StatusAccepted})
	if run.status == http.StatusAccepted { // what a run leaves when it ends would be room for the backup
		var made struct{ ID string }
		if err := json.Unmarshal(run.body, &made); err != nil {
			s.missf("a run: %v", err)
		}
		if !until(func() bool { return !slices.Contains([]string{"", "queued", "running"}, o.status(made.ID)) }) {
			s.missf("the run does not end")
		}
	}
	refill() // a run that failed may have left room for a small backup
	cmd := exec.CommandContext(s.ctx, s.taper, "-data", dir, "backup", filepath.Join(disk, "b.tar"))
	said, _ := cmd.CombinedOutput()
	s.note("%s", bytes.TrimSpace(said))
	if cmd.ProcessState.ExitCode() != 1 || !bytes.Contains(said, []byte("full")) {
		s.missf("a backup: %s", said)
	}
	if _, err := os.Stat(filepath.Join(disk, "b.tar")); err == nil {
		s.missf("half a backup is left")
	}
	for _, d := range all.Items {
		a := o.do(http.MethodDelete, "/api/v1/datasets/"+d.ID, "", nil)
		if a.status != http.StatusNoContent && a.status != http.StatusConflict { // an accepted run may be running
			s.missf("a delete: %v", a)
		}
	}
	if err := os.Remove(filler); err != nil {
		s.missf("%v", err)
	}
	a = o.upload("t.csv", table)
	s.note("%v", a)
	if a.status != http.StatusCreated {
		s.missf("with space again: %v", a)
	}
	if err := intact(dir); err != nil {
		s.missf("%v", err)
	}
	s.look(p)
}

// fill uses the last byte of a disk.
func fill(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4096, 1} {
		for piece := make([]byte, size); ; {
			if _, err := f.Write(piece); err != nil {
				break
			}
		}
	}
	return nil
}

func readOnly(s *scene) {
	disk := filepath.Join(s.dir, "fixed")
	unmount, err := smallDisk(disk, 64)
	if err != nil {
		s.note("left out: %v", err)
		return
	}
	defer unmount()
	dir := filepath.Join(disk, "data")
	if err := os.CopyFS(dir, os.DirFS(s.copied("a disk that only reads"))); err != nil {
		s.missf("%v", err)
		return
	}
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		s.note("left out: %v", err)
		return
	}
	s.fails("a start", dir, nil)
}

// nobody is the user without rights, if we may switch to it.
var nobody = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}

func noRights(s *scene) {
	if os.Geteuid() != 0 {
		s.note("left out: only root can become another user")
		return
	}
	dir := s.copied("no rights")
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, 65534, 65534)
	}); err != nil {
		s.missf("%v", err)
		return
	}
	p, err := start(s.ctx, s.taper, dir, nobody, nil, s.args...)
	if err != nil {
		s.missf("%v", err)
		return
	}
	taken := func(mode fs.FileMode) {
		for _, d := range []string{"raw", "uploads", "."} {
			if err := os.Chmod(filepath.Join(dir, d), mode); err != nil {
				s.missf("%v", err)
			}
		}
	}
	o := s.at(p, dir)
	o.get("/healthz") // it has started
	taken(0)
	for _, path := range []string{"/healthz", "/", "/data", "/runs"} {
		if a := o.get(path); a.err != nil {
			s.missf("GET %s: %v", path, a)
		}
	}
	a := o.upload("t.csv", func(w io.Writer) error { _, err := io.WriteString(w, smallTable); return err })
	s.note("an upload: %v", a)
	if a.status < 400 {
		s.missf("an upload is stored nowhere: %v", a)
	}
	s.look(p)
	_ = p.stop()
	if q, err := start(s.ctx, s.taper, dir, nobody, nil, s.args...); err == nil {
		s.missf("it starts without rights")
		q.kill()
	} else {
		s.note("%v", err)
	}
	taken(0o700)
	if q, err := start(s.ctx, s.taper, dir, nobody, nil, s.args...); err != nil {
		s.missf("with the rights again: %v", err)
	} else {
		_ = q.stop()
		if err := intact(dir); err != nil {
			s.missf("%v", err)
		}
	}
}

func backups(s *scene) {
	file := filepath.Join(s.dir, "b.tar")
	command := func(data, what, file string) (string, int) {
		cmd := exec.CommandContext(s.ctx, s.taper, "-data", data, what, file)
		said, _ := cmd.CombinedOutput()
		return string(bytes.TrimSpace(said)), cmd.ProcessState.ExitCode()
	}
	if said, code := command(s.data, "backup", file); code != 0 {
		s.missf("backup: %s", said)
		return
	}
	back := filepath.Join(s.dir, "back")
	if said, code := command(back, "restore", file); code != 0 {
		s.missf("restore: %s", said)
	} else if err := intact(back); err != nil {
		s.missf("restored: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		s.missf("%v", err)
		return
	}
	changed := bytes.Clone(text)
	changed[len(changed)/2] ^= 1
	for name, bad := range map[string][]byte{"cut short": text[:len(text)/2], "with a byte changed": changed, "empty": nil,
		"of noise": bytes.Repeat([]byte{7}, 5000)} {
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			s.missf("%v", err)
		}
		empty := filepath.Join(s.dir, "back "+name)
		said, code := command(empty, "restore", file)
		s.note("%s: %.200s", name, said)
		if code != 1 || !bytes.HasSuffix([]byte(said), []byte(".")) {
			s.missf("%s: %s", name, said)
		}
		if _, err := os.Stat(filepath.Join(empty, "taper.db")); err == nil || len(entries(filepath.Join(empty, "raw"))) > 0 {
			s.missf("%s leaves %v", name, entries(empty))
		}
	}
}
