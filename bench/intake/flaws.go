package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// flaw corrupts a clean file in one way. The resulting question must have one of the codes and concern one of the
// columns that put returns.
type flaw struct {
	name  string
	must  bool // a careful reviewer must notice it; otherwise should
	codes []string
	put   func(f *frame) (columns []string)
}

func one(codes ...string) []string { return codes }

func pick(f *frame, words ...string) string { return words[f.rng.IntN(len(words))] }

// number returns a numeric column of the file, other than age.
func number(f *frame) string {
	var all []string
	for _, n := range f.names {
		if slices.ContainsFunc(measures, func(m measure) bool { return m.name == n }) {
			all = append(all, n)
		}
	}
	return all[f.rng.IntN(len(all))]
}

var surnames = strings.Fields(`Huber Nagy Rossi Müller O'Neill Dupont García Silva Jensen Kowalski Ivanova Okafor
	Tanaka Haddad Smith Brown Walker Wright Young Baker Novak Horvat Varga Tóth Steiner Maier Weber Fischer Lang Gruber`)

var firstNames = strings.Fields(`Anna Luis Marie Peter Eva Imre Chiara Paul Nina Omar Yuki Ada Jan Olga
	Ben Lea Tom Mia`)

func person(f *frame) string {
	s := surnames[f.rng.IntN(len(surnames))]
	if f.rng.IntN(6) == 0 {
		s += "-" + surnames[f.rng.IntN(len(surnames))]
	}
	return firstNames[f.rng.IntN(len(firstNames))] + " " + s
}

func day(f *frame, from, to int) string {
	return fmt.Sprintf("%04d-%02d-%02d", from+f.rng.IntN(to-from), 1+f.rng.IntN(12), 1+f.rng.IntN(28))
}

// flaws are the problems that the data checks must or should notice.
var flaws = []flaw{
	{"names under a header that says so", true, one("personal"), func(f *frame) []string {
		name := pick(f, "patient_surname", "Family name", "PatientLastName", "nachname_patient", "apellidos", "cognome",
			"nom_de_famille", "full name", "next_of_kin")
		f.add(name, func(int) string { return surnames[f.rng.IntN(len(surnames))] })
		return one(name)
	}},
	{"names under a header that does not", true, one("personal"), func(f *frame) []string {
		name := pick(f, "contact", "who", "col_a", "bezugsperson", "p1")
		seen := map[string]int{}
		f.add(name, func(int) string {
			p := person(f)
			if seen[p]++; seen[p] > 1 {
				p += " " + surnames[f.rng.IntN(len(surnames))]
			}
			return p
		})
		return one(name)
	}},
	{"telephone numbers", true, one("personal"), func(f *frame) []string {
		name := pick(f, "home_phone", "mobile_nr", "tel_privat", "contact2", "reach", "Telefonnummer")
		style := f.rng.IntN(3)
		f.add(name, func(int) string {
			k := f.rng.IntN(9_000_000) + 1_000_000
			switch style {
			case 0:
				return fmt.Sprintf("+43 664 %d", k)
			case 1:
				return fmt.Sprintf("(0%d) %d-%d", 20+f.rng.IntN(70), k/10000, k%10000)
			}
			return fmt.Sprintf("%03d-%03d-%04d", 201+f.rng.IntN(700), k/10000, k%10000)
		})
		return one(name)
	}},
	{"e-mail addresses", true, one("personal"), func(f *frame) []string {
		name := pick(f, "contact_mail", "reach_at", "e-mail (home)", "x_contact")
		f.add(name, func(int) string {
			return strings.ToLower(strings.ReplaceAll(person(f), " ", ".")) + strconv.Itoa(f.rng.IntN(99)) + "@example.org"
		})
		return one(name)
	}},
	{"addresses", true, one("personal"), func(f *frame) []string {
		name := pick(f, "lives_at", "home_address", "Anschrift", "where")
		f.add(name, func(int) string {
			street := pick(f, "Hauptstraße", "Lindenweg", "Marktplatz", "Via Roma", "Bahnhofstr.", "Rue Verte")
			return fmt.Sprintf("%s %d", street,
				1+f.rng.IntN(120))
		})
		return one(name)
	}},
	{"full postcodes", true, one("personal"), func(f *frame) []string {
		name := pick(f, "area", "residence", "home_zip", "patient postcode")
		f.add(name, func(int) string {
			return fmt.Sprintf("%s%d %d%s", pick(f, "SW", "LS", "M", "EH"), 1+f.rng.IntN(20), f.rng.IntN(10),
				pick(f, "AB", "XY", "QT", "JD"))
		})
		return one(name)
	}},
	{"birth dates", true, one("personal"), func(f *frame) []string {
		name := pick(f, "pat_dob", "birth_date", "day_1", "Geburtsdatum Patient", "fecha_nacimiento")
		f.add(name, func(int) string { return day(f, 1930, 2004) })
		return one(name)
	}},
	{"record numbers without a header", true, one("numbered", "identifier"), func(f *frame) []string {
		f.bare = true
		last := 0
		f.add("id", func(i int) string {
			if i > 0 && f.rng.IntN(30) == 0 {
				return strconv.Itoa(last)
			}
			last = 61634 + f.rng.IntN(13_000_000)
			return strconv.Itoa(last)
		})
		return one(fmt.Sprintf("c%d", slices.Index(f.names, "id")+1))
	}},
	{"a reading in two units", true, one("mixed-units"), func(f *frame) []string {
		m := []measure{{"glucose2", 5.6, .14, 1, true}, {"creatinine2", .9, .22, 2, true}, {"hb", 13.8, .09, 1, true},
			{"chol2", 5.1, .18, 2, true}}[f.rng.IntN(4)]
		factor := map[string]float64{"glucose2": 18.02, "creatinine2": 88.4, "hb": 10, "chol2": 38.67}[m.name]
		f.add(m.name, func(int) string {
			v := m.mid * math.Exp(m.sd*f.rng.NormFloat64())
			if f.rng.IntN(8) == 0 {
				v *= factor
			}
			return decimals(v, m.digits)
		})
		return one(m.name)
	}},
	{"degrees Fahrenheit among Celsius", true, one("mixed-units"), func(f *frame) []string {
		f.add("temperature", func(int) string {
			v := 37 + .6*f.rng.NormFloat64()
			if f.rng.IntN(7) == 0 {
				v = 1.8*v + 32
			}
			return decimals(v, 1)
		})
		return one("temperature")
	}},
	{"a decimal point lost", true, one("outlier", "mixed-units"), func(f *frame) []string {
		f.add("weight", func(int) string { return decimals(74+9*f.rng.NormFloat64(), 1) })
		i := f.rng.IntN(f.n)
		f.cells["weight"][i] = strings.ReplaceAll(f.cells["weight"][i], ".", "")
		return one("weight")
	}},
	{"1e18 among ones", true, one("outlier"), func(f *frame) []string {
		f.add("dose", func(int) string { return "1" })
		f.cells["dose"][f.rng.IntN(f.n)] = "1e18"
		return one("dose")
	}},
	{"a number beyond 1e150", true, one("not-plain"), func(f *frame) []string {
		name := number(f)
		f.cells[name][f.rng.IntN(f.n)] = "1e200"
		return one(name)
	}},
	{"a recoding", false, one("redundant"), func(f *frame) []string {
		f.add("smoking_code", func(i int) string {
			return map[string]string{"never": "0", "former": "1", "current": "2"}[f.cells["smoker"][i]]
		})
		return one("smoking_code", "smoker")
	}},
	{"one reading in two units, as two columns", false, one("redundant"), func(f *frame) []string {
		f.add("height_cm", func(int) string { return decimals(170+9*f.rng.NormFloat64(), 0) })
		f.add("height_in", func(i int) string {
			v, _ := strconv.ParseFloat(f.cells["height_cm"][i], 64)
			return decimals(v/2.54, 1)
		})
		return one("height_cm", "height_in")
	}},
	{"a sum of others", false, one("redundant"), func(f *frame) []string {
		for _, name := range one("item1", "item2", "item3") {
			f.add(name, func(int) string { return strconv.Itoa(f.rng.IntN(12)) })
		}
		f.add("score", func(i int) string {
			sum := 0
			for _, name := range one("item1", "item2", "item3") {
				v, _ := strconv.Atoi(f.cells[name][i])
				sum += v
			}
			return strconv.Itoa(sum)
		})
		return one("score", "item1", "item2", "item3")
	}},
	{"a binning", false, one("redundant"), func(f *frame) []string {
		f.add("elderly", func(i int) string {
			v, _ := strconv.ParseFloat(f.cells["age"][i], 64)
			return strconv.FormatBool(v >= 60)
		})
		return one("elderly")
	}},
	{"a flag of missing readings", false, one("redundant"), func(f *frame) []string {
		name := number(f)
		f.drop(name, .2)
		f.add("measured", func(i int) string {
			if f.cells[name][i] == "" {
				return "no"
			}
			return "yes"
		})
		return one("measured")
	}},
	{"a column that hardly varies", false, one("near-constant"), func(f *frame) []string {
		f.add("pacemaker", func(i int) string {
			if i%67 == 5 {
				return "yes"
			}
			return "no"
		})
		return one("pacemaker")
	}},
	{"misspelt levels of one row", false, one("rare-levels"), func(f *frame) []string {
		f.cells["smoker"][f.rng.IntN(f.n)] = "neverr"
		return one("smoker")
	}},
	{"quotes around every value", true, one("quoted-values"), func(f *frame) []string {
		q := pick(f, "'", `"`)
		f.add("ward", func(int) string { return q + pick(f, "A", "B", "C") + q })
		return one("ward")
	}},
	{"codes for missing joined", true, one("missing-joined"), func(f *frame) []string {
		name := number(f)
		text := pick(f, "NA/NA", "-9 -9", "n/a;n/a", "NANA", "?;?")
		for i := range f.cells[name] {
			if i%17 == 3 {
				f.cells[name][i] = text
			}
		}
		return one(name)
	}},
	{"a code for missing", true, one("missing-code"), func(f *frame) []string {
		for i := range f.cells["age"] {
			if i%23 == 7 {
				f.cells["age"][i] = "-9"
			}
		}
		return one("age")
	}},
	{"a category of many levels", false, one("many-levels"), func(f *frame) []string {
		rare := 0
		f.add("drug", func(i int) string {
			if i%5 < 3 {
				return fmt.Sprintf("drug%c", 'a'+f.rng.IntN(6))
			}
			rare++
			return fmt.Sprintf("rare%d", rare%55)
		})
		return one("drug")
	}},
	{"codes with leading zeros", true, one("zero-padded"), func(f *frame) []string {
		f.add("clinic", func(int) string { return fmt.Sprintf("%05d", 7000+f.rng.IntN(9)*1471) })
		return one("clinic")
	}},
	{"missing more often with the event", true, one("missing-with-outcome"), func(f *frame) []string {
		name := number(f)
		for i := range f.cells[name] {
			share := .05
			if f.cells["diagnosis"][i] == "disease" {
				share = .35
			}
			if f.rng.Float64() < share {
				f.cells[name][i] = ""
			}
		}
		return one(name)
	}},
	{"a time to the event", true, one("follow-up", "leak"), func(f *frame) []string {
		name := pick(f, "futime", "days_to_death", "os_months", "followup_time", "survival time")
		f.add(name, func(int) string { return decimals(900*f.rng.ExpFloat64(), 0) })
		f.add("status", func(int) string { return strconv.Itoa(f.rng.IntN(2)) })
		return one(name)
	}},
	{"spells of follow-up", true, one("follow-up"), func(f *frame) []string {
		at := make([]int, f.n)
		for i := range at {
			at[i] = 10 + f.rng.IntN(300)
		}
		f.add("patient_id", func(i int) string { return strconv.Itoa(5000 + i/3) })
		f.add("from_day", func(i int) string {
			if i%3 == 0 {
				return "0"
			}
			return strconv.Itoa(sum(at[i-i%3 : i]))
		})
		f.add("to_day", func(i int) string { return strconv.Itoa(sum(at[i-i%3 : i+1])) })
		return one("from_day", "to_day")
	}},
	{"rows entered twice", true, one("identical-rows"), func(f *frame) []string {
		copies := 14 + f.rng.IntN(20)
		for range copies {
			i := f.rng.IntN(f.n)
			for _, name := range f.names {
				f.cells[name] = append(f.cells[name], f.cells[name][i])
			}
		}
		f.n += copies
		return one("")
	}},
}

func sum(x []int) (s int) {
	for _, v := range x {
		s += v
	}
	return s
}
