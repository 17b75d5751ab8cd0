package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"unicode/utf16"
)

// files are tables that no program writes, and forms that no browser sends.
func files() []attack {
	file := func(name, sent string, statuses []int, words []string, write func(*scene, io.Writer) error) attack {
		return attack{name: name, sent: sent, want: wanted(statuses, words), do: func(s *scene) {
			a := s.upload("t.csv", func(w io.Writer) error { return write(s, w) })
			s.refused(name, a, statuses, words...)
			s.forget("datasets", a)
		}}
	}
	of := func(text string) func(*scene, io.Writer) error {
		return func(_ *scene, w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	form := func(name, sent string, statuses []int, words []string, write func(*scene, *multipart.Writer) error) attack {
		return attack{name: name, sent: sent, want: wanted(statuses, words), do: func(s *scene) {
			a := s.form("/api/v1/datasets", func(f *multipart.Writer) error { return write(s, f) })
			s.refused(name, a, statuses, words...)
			s.forget("datasets", a)
		}}
	}
	table := func(f *multipart.Writer, name string) error {
		w, err := f.CreateFormFile("file", name)
		if err == nil {
			_, err = io.WriteString(w, smallTable)
		}
		return err
	}
	either := []int{413, 422}
	return []attack{
		file("one line", "100 MB without an end of line", either, []string{"Line 1", "1\u202f048\u202f576"},
			func(s *scene, w io.Writer) error { // more is refused by the memory limit before it is read
				return repeated(w, "a", s.size(100<<20, 20<<20))
			}),
		file("above the limit", "1 MB above the largest file", []int{413}, []string{"the limit"},
			func(s *scene, w io.Writer) error {
				return repeated(w, "1,2\n", 201<<18)
			}),
		file("columns", "5,000,000 columns", []int{413}, []string{"2000 columns"}, func(s *scene, w io.Writer) error {
			for range 3 {
				if err := repeated(w, "1,", s.size(5_000_000, 500_000)); err != nil {
					return err
				}
				if _, err := io.WriteString(w, "1\n"); err != nil {
					return err
				}
			}
			return nil
		}),
		file("an open quote", "a quote that never closes, in a file of 20 to 100 MB", either, []string{"quot"},
			func(s *scene, w io.Writer) error {
				if _, err := io.WriteString(w, smallTable+"\"1,"); err != nil {
					return err
				}
				return repeated(w, "1,2\n", s.size(100<<18, 20<<18))
			}),
		file("an open quote in every cell", "a quote at the head of every line", either, nil,
			func(s *scene, w io.Writer) error { return repeated(w, "\"1,2\n", s.size(20<<20, 2<<20)) }),
		file("NUL", "a table with a byte 0", either, []string{"Row 2"}, of("a,b\n1,2\n3,\x00\n")),
		file("NULs", "40 MB of zeros", either, nil,
			func(s *scene, w io.Writer) error { return repeated(w, "\x00", s.size(150<<20, 40<<20)) }),
		file("UTF-16", "a table in UTF-16 with a mark", []int{201}, nil, of(inUTF16("\ufeff"+smallTable))),
		file("half a character", "UTF-16 that ends inside a character", []int{201, 422}, nil,
			of(inUTF16("\ufeff"+smallTable)+"\xd8")),
		file("mixed encodings", "lines in UTF-8, Latin-1 and UTF-16", []int{201, 422}, nil,
			of("name,b\n\xc3\xa4,1\n\xe4,2\n\xff\xfea\x00,\x003\x00\n")),
		file("levels", "a million different texts in a column", []int{201}, nil, func(s *scene, w io.Writer) error {
			if _, err := io.WriteString(w, "a,b\n"); err != nil {
				return err
			}
			for i := range s.size(4_000_000, 300_000) {
				if _, err := fmt.Fprintf(w, "level %d,%d\n", i, i%2); err != nil {
					return err
				}
			}
			return nil
		}),
		file("a long header", "a name of 20 MB", []int{201, 413, 422}, nil, func(s *scene, w io.Writer) error {
			if err := repeated(w, "a", s.size(100<<20, 20<<20)); err != nil {
				return err
			}
			_, err := io.WriteString(w, ",b\n1,2\n3,4\n")
			return err
		}),
		file("one name", "2,000 columns of one name", []int{201, 422}, nil,
			of(strings.TrimSuffix(strings.Repeat("a,", 2000), ",")+"\n"+
				strings.TrimSuffix(strings.Repeat("1,", 2000), ",")+"\n")),
		file("delimiters", "20 MB of nothing but delimiters of every kind", either, nil,
			func(s *scene, w io.Writer) error { return repeated(w, ",;\t|", s.size(25<<20, 5<<20)) }),
		file("gzip as a file", "a bomb of 100 MB, packed", either, nil, func(s *scene, w io.Writer) error {
			_, err := w.Write(packed(s.size(1<<30, 100<<20)))
			return err
		}),
		{name: "gzip as an encoding", sent: "the same as Content-Encoding: gzip", want: "4xx with a sentence",
			do: func(s *scene) {
				req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.base+"/api/v1/losses/evaluate",
					bytes.NewReader(packed(s.size(1<<30, 100<<20))))
				if err != nil {
					s.missf("%v", err)
					return
				}
				req.Header.Set("Content-Encoding", "gzip")
				req.Header.Set("Content-Type", "application/json")
				a := answered(s.client.Do(req))
				s.refused("gzip", a, []int{415, 422})
			}},
		form("many parts", "10,000 parts beside the file", []int{413}, []string{"form fields"},
			func(s *scene, f *multipart.Writer) error {
				for i := range 10_000 {
					if err := f.WriteField(fmt.Sprint("f", i), "x"); err != nil {
						return err
					}
				}
				return table(f, "t.csv")
			}),
		form("the same part again", "one field 100,000 times", []int{201, 413}, nil,
			func(s *scene, f *multipart.Writer) error {
				for range s.size(100_000, 20_000) {
					if err := f.WriteField("name", "x"); err != nil {
						return err
					}
				}
				return table(f, "t.csv")
			}),
		form("a large field", "a field of 10 MB", []int{413}, []string{"form fields"},
			func(s *scene, f *multipart.Writer) error {
				if err := f.WriteField("name", strings.Repeat("x", 10<<20)); err != nil {
					return err
				}
				return table(f, "t.csv")
			}),
		form("two files", "two parts ‘file’", []int{422}, []string{"one file at a time"},
			func(s *scene, f *multipart.Writer) error {
				if err := table(f, "t.csv"); err != nil {
					return err
				}
				return table(f, "t.csv")
			}),
		form("no file", "a form without a part ‘file’", []int{422}, []string{"file is missing"},
			func(s *scene, f *multipart.Writer) error { return f.WriteField("name", "x") }),
		form("a large head of a part", "a part with a header of 20 MB", either, nil,
			func(s *scene, f *multipart.Writer) error {
				w, err := f.CreatePart(textproto.MIMEHeader{
					"Content-Disposition": {`form-data; name="file"; filename="` + strings.Repeat("a", 20<<20) + `"`}})
				if err == nil {
					_, err = io.WriteString(w, smallTable)
				}
				return err
			}),
		{name: "file names with paths", sent: "../, C:\\, NUL, line ends, 3,000 letters, letters right to left",
			want: "201 or 422, and no file outside uploads and raw", do: func(s *scene) {
				before := strings.Join(entries(s.data), " ")
				for _, name := range []string{"../../evil.csv", `..\..\evil.csv`, `C:\evil.csv`, "/etc/evil.csv", "", ".", "..",
					"a\x00b.csv", "a\r\nX-Evil: 1.csv", strings.Repeat("n", 3000), "\u202evsc.exe", "<script>.csv", "taper.db"} {
					a := s.form("/api/v1/datasets", func(f *multipart.Writer) error { return table(f, name) })
					s.refused(fmt.Sprintf("%q", name), a, []int{201, 422})
					if bytes.Contains(a.body, []byte("..")) || a.header.Get("X-Evil") != "" {
						s.missf("%.20q is kept: %.80s", name, a.body)
					}
					s.forget("datasets", a)
				}
				if after := strings.Join(entries(s.data), " "); after != before {
					s.missf("the folder holds %s, and held %s", after, before)
				}
			}},
		{name: "forms without a form", sent: "no boundary, an empty one, a wrong one, no end, no form at all",
			want: "422 with a sentence", do: func(s *scene) {
				for kind, body := range map[string]string{
					"multipart/form-data":              "--x\r\n\r\n--x--",
					`multipart/form-data; boundary=""`: "--\r\n\r\n----",
					"multipart/form-data; boundary=x":  "--y\r\n\r\n--y--",
					"multipart/form-data; boundary=z": "--z\r\n" +
						"Content-Disposition: form-data; name=\"file\"\r\n\r\na,b\n",
					"multipart/form-data; boundary=w": "--w\r\nno header\r\n\r\n--w--",
					"multipart/mixed; boundary=v":     "--v\r\n\r\n--v--",
					"application/json":                "{}",
					"text/csv":                        smallTable,
					"multipart/form-data; boundary=" + strings.Repeat("b", 5000): "",
				} {
					s.refused(kind, s.do(http.MethodPost, "/api/v1/datasets", kind, strings.NewReader(body)), []int{422})
				}
			}},
	}
}

const smallTable = "a,b\n1,2\n3,4\n"

func inUTF16(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// packed is n blanks compressed by gzip.
func packed(n int) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		err = repeated(w, " ", n)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return b.Bytes()
}
