// Gen writes the assembly of package vector: go generate ./internal/engine/vector.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const word = 8 // bytes of a float64

// ys are named one by one: registers that avo chooses may be those beyond 15, which only AVX-512 has.
var ys = []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15}

func main() {
	ConstraintExpr("amd64")
	scores()
	adjoint()
	squares()
	eliminate()
	combine()
	standardise()
	gram()
	logistic()
	softplus()
	table("heavy256", false)
	table("compact256", true)
	temper()
	exps()
	sums()
	normalise()
	move()
	products()
	levels()
	along()
	hulls()
	ask()
	Generate()
}

// pointer loads a pointer parameter.
func pointer(name string) Mem { return Mem{Base: Load(Param(name), GP64())} }

// fill puts a parameter in all lanes of a register, by an instruction of AVX: an older one, which Load would take,
// waits for the register's upper half.
func fill(v VecPhysical, name string) {
	at, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(at.Addr, v)
}

// scores writes b + w·x for each row. Eight rows (then four) are added up side by side, each in two sums:
// of its even and of its odd columns, except that a last odd column is added at the end. gonum adds in this
// order, two numbers at a time.
func scores() {
	TEXT("scores256", NOSPLIT, "func(dst, x *float64, rows, cols int, w *float64, b float64)")
	dst, x, w := pointer("dst"), pointer("x"), pointer("w")
	rows, cols := Load(Param("rows"), GP64()), Load(Param("cols"), GP64())
	b := X15
	Load(Param("b"), b)
	VMOVDDUP(b, b)
	pitch, pitch3 := GP64(), GP64()
	MOVQ(cols, pitch)
	SHLQ(U8(3), pitch)
	LEAQ(Mem{Base: pitch, Index: pitch, Scale: 2}, pitch3)
	for _, count := range []int{8, 4} {
		name := map[int]string{8: "eight", 4: "four"}[count]
		Label(name)
		CMPQ(rows, U8(count))
		JLT(LabelRef("end_" + name))
		sums := ys[:count/2]
		for i := range sums {
			VXORPD(sums[i], sums[i], sums[i])
		}
		low, high, at, left := GP64(), GP64(), GP64(), GP64()
		MOVQ(x.Base, low)
		LEAQ(Mem{Base: low, Index: pitch, Scale: 4}, high)
		MOVQ(w.Base, at)
		MOVQ(cols, left)
		row := func(i, offset int) Mem {
			base := low
			if i >= 4 {
				base, i = high, i-4
			}
			switch i {
			case 0:
				return Mem{Base: base, Disp: offset}
			case 3:
				return Mem{Base: base, Index: pitch3, Scale: 1, Disp: offset}
			}
			return Mem{Base: base, Index: pitch, Scale: uint8(i), Disp: offset}
		}
		// pairs adds two columns of every row.
		pairs := func(offset int) {
			weight := Y4
			VBROADCASTF128(Mem{Base: at, Disp: offset}, weight)
			for i, sum := range sums {
				cells := ys[5+i]
				VMOVUPD(row(2*i, offset), cells.AsX())
				VINSERTF128(U8(1), row(2*i+1, offset), cells, cells)
				VMULPD(weight, cells, cells)
				VADDPD(cells, sum, sum)
			}
		}
		onward := func(bytes int) {
			ADDQ(U8(bytes), low)
			ADDQ(U8(bytes), high)
			ADDQ(U8(bytes), at)
		}
		Label(name + "_columns")
		CMPQ(left, U8(4))
		JLT(LabelRef(name + "_two"))
		pairs(0)
		pairs(2 * word)
		onward(4 * word)
		SUBQ(U8(4), left)
		JMP(LabelRef(name + "_columns"))
		Label(name + "_two")
		CMPQ(left, U8(2))
		JLT(LabelRef(name + "_add"))
		pairs(0)
		onward(2 * word)
		SUBQ(U8(2), left)
		Label(name + "_add")
		sides := make([]VecPhysical, len(sums))
		for i, sum := range sums {
			sides[i] = ys[9+i].AsX().(VecPhysical)
			VEXTRACTF128(U8(1), sum, sides[i])
			VHADDPD(sides[i], sum.AsX(), sides[i])
		}
		TESTQ(left, left)
		JE(LabelRef(name + "_store"))
		last := X4
		VMOVDDUP(Mem{Base: at}, last)
		for i, side := range sides {
			cells := X5
			VMOVSD(row(2*i, 0), cells)
			VMOVHPD(row(2*i+1, 0), cells, cells)
			VMULPD(last, cells, cells)
			VADDPD(cells, side, side)
		}
		Label(name + "_store")
		for i, side := range sides {
			VADDPD(b, side, side)
			VMOVUPD(side, dst.Offset(2*i*word))
		}
		ADDQ(U8(count*word), dst.Base)
		for range count / 4 {
			LEAQ(Mem{Base: x.Base, Index: pitch, Scale: 4}, x.Base)
		}
		SUBQ(U8(count), rows)
		JMP(LabelRef(name))
		Label("end_" + name)
	}
	VZEROUPPER()
	RET()
}

// adjoint adds by·row to dst, row after row, for as many columns at once as fit into registers, and asks for the
// memory that is needed next.
func adjoint() {
	TEXT("adjoint256", NOSPLIT, "func(dst, x, by *float64, rows, cols int, next *float64, nextRows int)")
	next, nextRows := pointer("next"), Load(Param("nextRows"), GP64())
	columns(8, whole, func(label string, pitch Register) {
		CMPQ(nextRows, U8(0))
		JE(LabelRef(label + "_cells"))
		DECQ(nextRows)
		ask := GP64()
		XORQ(ask, ask)
		Label(label + "_ask")
		PREFETCHT0(Mem{Base: next.Base, Index: ask, Scale: 1})
		ADDQ(U8(64), ask)
		CMPQ(ask, pitch)
		JLT(LabelRef(label + "_ask"))
		ADDQ(pitch, next.Base)
		Label(label + "_cells")
	}, func(cells, times VecPhysical, _ int) { VMULPD(times, cells, cells) })
}

// squares adds by·(row − mean)² to dst.
func squares() {
	TEXT("squares256", NOSPLIT, "func(dst, x, by *float64, rows, cols int, mean *float64)")
	mean := pointer("mean")
	columns(4, whole, func(string, Register) {}, func(cells, times VecPhysical, k int) {
		VSUBPD(ys[4+k], cells, cells)
		VMULPD(cells, times, Y13)
		VMULPD(Y13, cells, cells)
	}, mean)
}

// eliminate subtracts by·row from dst, row after row, for as many columns at once as fit into registers. The rows are
// parts of longer ones, pitch numbers apart, and so are the numbers of by.
func eliminate() {
	TEXT("eliminate256", NOSPLIT, "func(dst, x, by *float64, rows, cols, pitch int)")
	columns(8, apart, func(string, Register) {}, func(cells, times VecPhysical, _ int) { VMULPD(times, cells, cells) })
}

// combine adds numbers of several columns to dst, column after column, for as many rows at once as fit into
// registers, and asks for the numbers of the next rows. Columns points at Go slices, of three words each, whose
// numbers start at the word from.
func combine() {
	const lanes, count = 4, 8
	TEXT("combine256", NOSPLIT, "func(dst *float64, rows int, columns *[]float64, by *float64, count, from int)")
	dst, list, by := pointer("dst"), pointer("columns"), pointer("by")
	rows, columns, from := Load(Param("rows"), GP64()), Load(Param("count"), GP64()), Load(Param("from"), GP64())
	Label("rows")
	CMPQ(rows, U8(count*lanes))
	JLT(LabelRef("end"))
	sums := ys[:count]
	for k, sum := range sums {
		VMOVUPD(dst.Offset(k*lanes*word), sum)
	}
	slice, factor, left := GP64(), GP64(), GP64()
	MOVQ(list.Base, slice)
	MOVQ(by.Base, factor)
	MOVQ(columns, left)
	Label("column")
	at, times := GP64(), Y8
	MOVQ(Mem{Base: slice}, at)
	VBROADCASTSD(Mem{Base: factor}, times)
	for k, sum := range sums {
		cells := ys[9+k%4]
		VMULPD(Mem{Base: at, Index: from, Scale: word, Disp: k * lanes * word}, times, cells)
		VADDPD(cells, sum, sum)
		if k%2 == 0 { // a cache line of the next rows
			PREFETCHT0(Mem{Base: at, Index: from, Scale: word, Disp: (count + k) * lanes * word})
		}
	}
	ADDQ(U8(3*word), slice)
	ADDQ(U8(word), factor)
	DECQ(left)
	JNE(LabelRef("column"))
	for k, sum := range sums {
		VMOVUPD(sum, dst.Offset(k*lanes*word))
	}
	ADDQ(U32(count*lanes*word), dst.Base)
	ADDQ(U8(count*lanes), from)
	SUBQ(U8(count*lanes), rows)
	JMP(LabelRef("rows"))
	Label("end")
	VZEROUPPER()
	RET()
}

// standardise writes (x − mean)·inverse, and that times by, for each row. The rows of a and b are padded to whole
// registers, and so are mean and inverse.
func standardise() {
	TEXT("standardise256", NOSPLIT, "func(a, b, x, by *float64, rows, cols int, mean, inverse *float64)")
	a, b, x, by := pointer("a"), pointer("b"), pointer("x"), pointer("by")
	rows, cols := Load(Param("rows"), GP64()), Load(Param("cols"), GP64())
	mean, inverse := pointer("mean"), pointer("inverse")
	whole, rest, base, pitch := GP64(), GP64(), GP64(), GP64()
	MOVQ(cols, whole)
	ANDQ(I8(-4), whole)
	MOVQ(whole, rest)
	SUBQ(cols, rest)
	LEAQ(ends(), base)
	mask, times := Y14, Y15
	VMOVUPD(Mem{Base: base, Index: rest, Scale: word, Disp: 4 * word}, mask)
	SHLQ(U8(3), whole)
	MOVQ(cols, pitch)
	SHLQ(U8(3), pitch)
	at := GP64()
	four := func(load func(m Mem, v VecPhysical)) {
		indexed := func(m Mem) Mem { return Mem{Base: m.Base, Index: at, Scale: 1} }
		cells := Y0
		load(indexed(x), cells)
		VSUBPD(indexed(mean), cells, cells)
		VMULPD(indexed(inverse), cells, cells)
		VMOVUPD(cells, indexed(a))
		VMULPD(times, cells, cells)
		VMOVUPD(cells, indexed(b))
		ADDQ(U8(4*word), at)
	}
	Label("row")
	TESTQ(rows, rows)
	JE(LabelRef("end"))
	VBROADCASTSD(by, times)
	XORQ(at, at)
	Label("whole")
	CMPQ(at, whole)
	JGE(LabelRef("masked"))
	four(func(m Mem, v VecPhysical) { VMOVUPD(m, v) })
	JMP(LabelRef("whole"))
	Label("masked")
	four(func(m Mem, v VecPhysical) { VMASKMOVPD(m, mask, v) })
	ADDQ(at, a.Base)
	ADDQ(at, b.Base)
	ADDQ(pitch, x.Base)
	ADDQ(U8(word), by.Base)
	DECQ(rows)
	JMP(LabelRef("row"))
	Label("end")
	VZEROUPPER()
	RET()
}

// gram adds bᵀ·a to the upper triangle of h, two rows of h and at most twelve columns at once. The even and the odd
// rows of a and b are added up apart, which is the order of gonum's dot products. First and second choose a
// lane of the last columns in which an odd last row is added to the even ones, for either row of h.
func gram() {
	TEXT("gram256", NOSPLIT, "func(h, a, b *float64, rows, pitch, from, to, first, second int)")
	h, a, b := pointer("h"), pointer("a"), pointer("b")
	rows, pitch := Load(Param("rows"), GP64()), Load(Param("pitch"), GP64())
	i, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	base, at := GP64(), GP64()
	LEAQ(lane(), base)
	masks := []VecPhysical{Y14, Y15}
	for k, name := range []string{"first", "second"} {
		Load(Param(name), at)
		VMOVUPD(Mem{Base: base, Index: at, Scale: word}, masks[k])
	}
	SHLQ(U8(3), pitch) // all of them in bytes
	SHLQ(U8(3), i)
	SHLQ(U8(3), to)
	j, left, hp, ap, bp, pairs := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	Label("two")
	CMPQ(i, to)
	JGE(LabelRef("end"))
	MOVQ(i, j)
	ANDQ(I8(-4*word), j)
	MOVQ(i, hp) // row i of h: its bytes are pitch·i/8
	IMULQ(pitch, hp)
	SHRQ(U8(3), hp)
	ADDQ(h.Base, hp)
	for count := 3; count > 0; count-- {
		label := map[int]string{3: "twelve", 2: "eight", 1: "four"}[count]
		Label(label)
		MOVQ(pitch, left)
		SUBQ(j, left)
		CMPQ(left, U8(count*4*word))
		JLT(LabelRef("end_" + label))
		even, odd := ys[:2*count], ys[2*count:4*count]
		for _, sum := range ys[:4*count] {
			VXORPD(sum, sum, sum)
		}
		LEAQ(Mem{Base: a.Base, Index: j, Scale: 1}, ap)
		LEAQ(Mem{Base: b.Base, Index: i, Scale: 1}, bp)
		factor, cells := Y12, Y13
		// row calls do with the products of a row of a and b.
		row := func(at, by Mem, do func(n int)) {
			for k := range 2 {
				VBROADCASTSD(by.Offset(k*word), factor)
				for l := range count {
					VMULPD(at.Offset(l*4*word), factor, cells)
					do(k*count + l)
				}
			}
		}
		MOVQ(rows, pairs)
		SHRQ(U8(1), pairs)
		JE(LabelRef(label + "_added"))
		Label(label + "_rows")
		row(Mem{Base: ap}, Mem{Base: bp}, func(n int) { VADDPD(cells, even[n], even[n]) })
		row(Mem{Base: ap, Index: pitch, Scale: 1}, Mem{Base: bp, Index: pitch, Scale: 1},
			func(n int) { VADDPD(cells, odd[n], odd[n]) })
		LEAQ(Mem{Base: ap, Index: pitch, Scale: 2}, ap)
		LEAQ(Mem{Base: bp, Index: pitch, Scale: 2}, bp)
		DECQ(pairs)
		JNE(LabelRef(label + "_rows"))
		Label(label + "_added")
		TESTQ(U32(1), rows)
		JNE(LabelRef(label + "_odd"))
		for n := range even {
			VADDPD(odd[n], even[n], even[n])
		}
		JMP(LabelRef(label + "_store"))
		Label(label + "_odd")
		CMPQ(left, U8(count*4*word))
		JE(LabelRef(label + "_last"))
		row(Mem{Base: ap}, Mem{Base: bp}, func(n int) {
			VADDPD(odd[n], even[n], even[n])
			VADDPD(cells, even[n], even[n])
		})
		JMP(LabelRef(label + "_store"))
		Label(label + "_last")
		row(Mem{Base: ap}, Mem{Base: bp}, func(n int) {
			if n%count < count-1 {
				VADDPD(odd[n], even[n], even[n])
				VADDPD(cells, even[n], even[n])
				return
			}
			VADDPD(odd[n], even[n], factor)
			VADDPD(cells, factor, factor)
			VADDPD(cells, even[n], even[n])
			VADDPD(odd[n], even[n], even[n])
			VBLENDVPD(masks[n/count], even[n], factor, even[n])
		})
		Label(label + "_store")
		for n := range even {
			to := Mem{Base: hp, Index: j, Scale: 1, Disp: n % count * 4 * word}
			if n == count {
				ADDQ(pitch, hp)
			}
			VADDPD(to, even[n], even[n])
			VMOVUPD(even[n], to)
		}
		SUBQ(pitch, hp)
		ADDQ(U8(count*4*word), j)
		JMP(LabelRef(label))
		Label("end_" + label)
	}
	ADDQ(U8(2*word), i)
	JMP(LabelRef("two"))
	Label("end")
	VZEROUPPER()
	RET()
}

// lane selects one of four: from the number 3 − k on, lane k, and from 4 on none.
func lane() Mem {
	m := GLOBL("lane", RODATA|NOPTR)
	for i := range 8 {
		v := uint64(0)
		if i == 3 {
			v = math.MaxUint64
		}
		DATA(i*word, U64(v))
	}
	return m
}

// Forms of columns.
const (
	whole = iota // each row and number of by follows the last
	apart        // they are pitch numbers apart, and terms are subtracted
)

// columns adds a term to dst for each row, row after row, for as many columns at once as fit into registers. Before
// is called before each row; term replaces the cells of register k by what is added. The numbers of with belong to
// the columns like dst, and are in registers from the fourth on.
func columns(most, form int, before func(label string, pitch Register), term func(cells, times VecPhysical, k int),
	with ...Mem) {
	const lanes = 4
	dst, x, by := pointer("dst"), pointer("x"), pointer("by")
	rows, cols := Load(Param("rows"), GP64()), Load(Param("cols"), GP64())
	pitch, mask := GP64(), Y14
	if form == apart {
		Load(Param("pitch"), pitch)
	} else {
		MOVQ(cols, pitch)
	}
	SHLQ(U8(3), pitch)
	at, factor, left := GP64(), GP64(), GP64()
	// tile adds up as many registers of columns, the last of them behind the mask if some columns are left out.
	tile := func(label string, count int, masked bool) {
		load := func(m Mem, k int, v VecPhysical) {
			if masked && k == count-1 {
				VMASKMOVPD(m.Offset(k*lanes*word), mask, v)
				return
			}
			VMOVUPD(m.Offset(k*lanes*word), v)
		}
		sums := ys[:count]
		for k, sum := range sums {
			load(dst, k, sum)
			for _, w := range with {
				load(w, k, ys[4+k])
			}
		}
		MOVQ(x.Base, at)
		MOVQ(by.Base, factor)
		MOVQ(rows, left)
		Label(label + "_row")
		before(label, pitch)
		times := Y8
		VBROADCASTSD(Mem{Base: factor}, times)
		for k, sum := range sums {
			cells := ys[9+k%4]
			load(Mem{Base: at}, k, cells)
			term(cells, times, k)
			if form == apart {
				VSUBPD(cells, sum, sum)
			} else {
				VADDPD(cells, sum, sum)
			}
		}
		ADDQ(pitch, at)
		if form == apart {
			ADDQ(pitch, factor)
		} else {
			ADDQ(U8(word), factor)
		}
		DECQ(left)
		JNE(LabelRef(label + "_row"))
		for k, sum := range sums {
			if masked && k == count-1 {
				VMASKMOVPD(sum, mask, dst.Offset(k*lanes*word))
				continue
			}
			VMOVUPD(sum, dst.Offset(k*lanes*word))
		}
	}
	Label("all")
	CMPQ(cols, U8(most*lanes))
	JLE(LabelRef("last"))
	tile("most", most, false)
	for _, m := range append([]Mem{dst, x}, with...) {
		ADDQ(U32(most*lanes*word), m.Base)
	}
	SUBQ(U8(most*lanes), cols)
	JMP(LabelRef("all"))
	// All the columns that are left are added at once: a register alone would wait for its own sums.
	Label("last")
	TESTQ(cols, cols)
	JE(LabelRef("end"))
	from, base := GP64(), GP64()
	LEAQ(ends(), base)
	MOVQ(cols, from)
	NEGQ(from)
	ANDQ(U8(lanes-1), from) // lanes of the last register without a column
	VMOVUPD(Mem{Base: base, Index: from, Scale: word}, mask)
	names := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}
	for count := 1; count < most; count++ {
		CMPQ(cols, U8(count*lanes))
		JLE(LabelRef(names[count-1]))
	}
	for count := most; count > 0; count-- {
		Label(names[count-1])
		tile(names[count-1], count, true)
		if count > 1 {
			JMP(LabelRef("end"))
		}
	}
	Label("end")
	VZEROUPPER()
	RET()
}

// masks are −1 four times and then 0: four of them, from the right one on, select the last columns.
var masks *Mem

func ends() Mem {
	if masks == nil {
		m := GLOBL("masks", RODATA|NOPTR)
		for i := range 8 {
			v := uint64(math.MaxUint64)
			if i >= 4 {
				v = 0
			}
			DATA(i*word, U64(v))
		}
		masks = &m
	}
	return *masks
}

// logistic replaces scores by the derivatives of their logistic losses, times the rows' weights, four rows at a
// time, and stops before four of which one is out of range.
func logistic() {
	TEXT("logistic256", NOSPLIT,
		"func(f, z, q, v *float64, side *uint8, rows int, exps *uint64, next *float64, lines int) int")
	f, z, q, v, side, powers, next := pointer("f"), pointer("z"), pointer("q"), pointer("v"), pointer("side"),
		pointer("exps"), pointer("next")
	rows := Load(Param("rows"), GP64())
	lines := Load(Param("lines"), GP64())
	done := GP64()
	XORQ(done, done)
	sign, one := Y15, Y14
	VMOVUPD(bits64(1<<63), sign)
	VMOVUPD(bcast(1), one)
	Label("rows")
	CMPQ(rows, U8(4))
	JLT(LabelRef("end"))
	ask := GP64()
	MOVQ(lines, ask)
	TESTQ(ask, ask)
	JE(LabelRef("asked"))
	Label("ask")
	PREFETCHT0(next)
	ADDQ(U8(64), next.Base)
	DECQ(ask)
	JNE(LabelRef("ask"))
	Label("asked")
	s, flip, x := Y0, Y1, Y2
	VMOVUPD(Mem{Base: f.Base}, s)
	VPMOVZXBQ(Mem{Base: side.Base}, flip) // 1 or 0
	VPSLLQ(U8(63), flip, flip)
	VPXOR(sign, flip, flip) // the sign bit of class −1
	VXORPD(flip, s, s)      // z
	VORPD(sign, s, x)       // −|z|
	leave(x)
	scale, tail := split(x, powers)
	VMULPD(scale, tail, tail)
	VADDPD(tail, scale, scale) // q
	VMOVUPD(scale, Mem{Base: q.Base})
	VMOVUPD(s, Mem{Base: z.Base})
	p, miss := Y5, Y6
	VADDPD(one, scale, p)
	VDIVPD(p, one, p)
	VMULPD(scale, p, miss)
	VBLENDVPD(s, p, miss, miss) // σ(−z)
	VMULPD(Mem{Base: v.Base}, miss, miss)
	VXORPD(sign, flip, flip)
	VXORPD(flip, miss, miss) // minus for class +1
	VMOVUPD(miss, Mem{Base: f.Base})
	ADDQ(U8(4*word), f.Base)
	ADDQ(U8(4*word), z.Base)
	ADDQ(U8(4*word), q.Base)
	ADDQ(U8(4*word), v.Base)
	ADDQ(U8(4), side.Base)
	ADDQ(U8(4), done)
	SUBQ(U8(4), rows)
	JMP(LabelRef("rows"))
	Label("end")
	VZEROUPPER()
	Store(done, ReturnIndex(0))
	RET()
}

// products writes the products of rows with the rows of panels. Four rows (then one) are multiplied side by side with
// the eight rows of a panel, column after column.
func products() {
	TEXT("products256", NOSPLIT, "func(dst, panels, rows *float64, count, number, cols int)")
	dst, panels, rows := pointer("dst"), pointer("panels"), pointer("rows")
	count, number, cols := Load(Param("count"), GP64()), Load(Param("number"), GP64()), Load(Param("cols"), GP64())
	pitch, pitch3, column, column3 := GP64(), GP64(), GP64(), GP64() // bytes from row to row, of rows and of dst
	MOVQ(cols, pitch)
	SHLQ(U8(3), pitch)
	LEAQ(Mem{Base: pitch, Index: pitch, Scale: 2}, pitch3)
	MOVQ(count, column)
	SHLQ(U8(6), column)
	LEAQ(Mem{Base: column, Index: column, Scale: 2}, column3)
	row := func(base, by, by3 Register, i, offset int) Mem {
		switch i {
		case 0:
			return Mem{Base: base, Disp: offset}
		case 3:
			return Mem{Base: base, Index: by3, Scale: 1, Disp: offset}
		}
		return Mem{Base: base, Index: by, Scale: uint8(i), Disp: offset}
	}
	for _, together := range []int{4, 1} {
		name := map[int]string{4: "four", 1: "one"}[together]
		Label(name)
		CMPQ(number, U8(together))
		JLT(LabelRef("end_" + name))
		cells, left := GP64(), GP64()
		MOVQ(panels.Base, cells)
		MOVQ(count, left)
		Label(name + "_panel")
		sums := ys[:2*together]
		for _, sum := range sums {
			VXORPD(sum, sum, sum)
		}
		at, more := GP64(), GP64()
		MOVQ(rows.Base, at)
		MOVQ(cols, more)
		Label(name + "_column")
		VMOVUPD(Mem{Base: cells}, Y8)
		VMOVUPD(Mem{Base: cells, Disp: 4 * word}, Y9)
		for i := range together {
			times := ys[10+i%2]
			VBROADCASTSD(row(at, pitch, pitch3, i, 0), times)
			VMULPD(Y8, times, Y12)
			VMULPD(Y9, times, Y13)
			VADDPD(Y12, sums[2*i], sums[2*i])
			VADDPD(Y13, sums[2*i+1], sums[2*i+1])
		}
		ADDQ(U8(8*word), cells)
		ADDQ(U8(word), at)
		DECQ(more)
		JNE(LabelRef(name + "_column"))
		for i := range together {
			VMOVUPD(sums[2*i], row(dst.Base, column, column3, i, 0))
			VMOVUPD(sums[2*i+1], row(dst.Base, column, column3, i, 4*word))
		}
		ADDQ(U8(8*word), dst.Base)
		DECQ(left)
		JNE(LabelRef(name + "_panel"))
		if together == 4 {
			ADDQ(column3, dst.Base) // past the three others
			LEAQ(Mem{Base: rows.Base, Index: pitch, Scale: 4}, rows.Base)
		} else {
			ADDQ(pitch, rows.Base)
		}
		SUBQ(U8(together), number)
		JMP(LabelRef(name))
		Label("end_" + name)
	}
	VZEROUPPER()
	RET()
}

// leave goes to the label end unless all four numbers are above −700; NaN is not.
func leave(x VecPhysical) {
	inside, all := Y3, GP32()
	VCMPPD(U8(0x1e), bcast(-700), x, inside)
	VMOVMSKPD(inside, all)
	CMPL(all, U8(15))
	JNE(LabelRef("end"))
}

// entries are those of the table of powers, and of 1 + u from 1 to 2 in the tables of logs and of inverses.
const entries = 64

// split finds 2^(k/64) and e^r − 1 with x = k·log 2/64 + r, as the function of this name in package vector does.
// It needs the registers from Y3 to Y11.
func split(x VecPhysical, powers Mem) (scale, tail VecPhysical) {
	k, n, r, t := Y3, Y4, Y5, Y6
	VMULPD(bcast(entries/math.Ln2), x, k)
	VADDPD(bcast(0x1.8p52), k, k)
	VMOVAPD(k, n)
	VSUBPD(bcast(0x1.8p52), k, k)
	VMULPD(bcast(0x1.62e42fefap-1/entries), k, t)
	VSUBPD(t, x, r)
	VMULPD(bcast(0x1.cf79abc9e3b3ap-40/entries), k, t)
	VSUBPD(t, r, r)
	r2, u := Y6, Y8
	tail = Y7
	VMULPD(r, r, r2)
	VMULPD(bcast(1./6), r, tail)
	VADDPD(bcast(1./2), tail, tail)
	VMULPD(r2, tail, tail)
	VADDPD(r, tail, tail)
	VMULPD(bcast(1./120), r, u)
	VADDPD(bcast(1./24), u, u)
	VMULPD(r2, r2, r2)
	VMULPD(r2, u, u)
	VADDPD(u, tail, tail)
	index, ones := Y9, Y11
	scale = Y10
	VPAND(bits64(entries-1), n, index)
	VPCMPEQQ(ones, ones, ones)
	VXORPD(scale, scale, scale) // or the rows would wait for those before them, since a gather merges
	VPGATHERQQ(ones, Mem{Base: powers.Base, Index: index, Scale: 8}, scale)
	VPSLLQ(U8(52-6), n, n)
	VPADDQ(n, scale, scale)
	return scale, tail
}

// softplus writes logistic losses and slopes of margins, four at a time, and stops before four of which one is out
// of range.
func softplus() {
	TEXT("softplus256", NOSPLIT, "func(value, slope, z *float64, rows int, exps *uint64, logs, inverses *float64) int")
	value, slope, z, powers := pointer("value"), pointer("slope"), pointer("z"), pointer("exps")
	logs, inverses := pointer("logs"), pointer("inverses")
	fours(func() {
		margin, x := Y0, Y2
		VMOVUPD(Mem{Base: z.Base}, margin)
		VORPD(bits64(1<<63), margin, x) // −|z|
		leave(x)
		q, tail := split(x, powers)
		VMULPD(q, tail, tail)
		VADDPD(tail, q, q)
		p, miss := Y5, Y6
		VADDPD(bcast(1), q, p)
		VMOVUPD(bcast(1), miss)
		VDIVPD(p, miss, p)
		VMULPD(q, p, miss)
		VBLENDVPD(margin, p, miss, miss) // σ(−z)
		VORPD(bits64(1<<63), miss, miss)
		VMOVUPD(miss, Mem{Base: slope.Base})
		log := logarithm(q, logs, inverses)
		above := Y1 // max(−z, 0)
		VXORPD(bits64(1<<63), margin, margin)
		VXORPD(above, above, above)
		VMAXPD(above, margin, above)
		VADDPD(log, above, above)
		VMOVUPD(above, Mem{Base: value.Base})
	}, value, slope, z)
}

// logarithm finds log(1 + u) for 0 ≤ u ≤ 1, as the last part of Log1p in package vector does; of other numbers it
// makes some number. It uses the registers from Y3 to Y11; u may be in Y10.
func logarithm(u VecPhysical, logs, inverses Mem) VecPhysical {
	index, r, mask, inverse := X3, Y4, Y5, Y6
	VMULPD(bcast(entries), u, r)
	VADDPD(bcast(.5), r, r)
	VCVTTPD2DQY(r, index)
	VCVTDQ2PD(index, r)
	VMULPD(bcast(1./entries), r, r)
	VSUBPD(r, u, r)
	VPAND(bits64((2*entries-1)<<32|2*entries-1), index, index)
	VPCMPEQQ(mask, mask, mask)
	VXORPD(inverse, inverse, inverse)
	VGATHERDPD(mask, Mem{Base: inverses.Base, Index: index, Scale: 8}, inverse)
	VMULPD(inverse, r, r)
	r2, sum, t, v, log := Y6, Y7, Y8, Y9, Y10
	VPCMPEQQ(mask, mask, mask)
	VXORPD(log, log, log)
	VGATHERDPD(mask, Mem{Base: logs.Base, Index: index, Scale: 8}, log)
	VMULPD(r, r, r2)
	minus := func(a, b float64, dst VecPhysical) { // a − r·b
		VMULPD(bcast(b), r, Y11)
		VMOVUPD(bcast(a), dst)
		VSUBPD(Y11, dst, dst)
	}
	minus(1./2, 1./3, t)
	VMULPD(r2, t, t)
	VSUBPD(t, r, sum)
	minus(1./4, 1./5, t)
	minus(1./6, 1./7, v)
	VMULPD(r2, v, v)
	VADDPD(v, t, t)
	VMULPD(r2, r2, r2)
	VMULPD(r2, t, t)
	VSUBPD(t, sum, sum)
	VADDPD(sum, log, log)
	return log
}

// table evaluates polynomials of w, the scaled logarithm of 1 + rate·|z|, or of 1 + rate·|z|/(1 − rate·|z|) if
// compact. For some rows, four at a time, it first writes where they are in their spans of w, and the numbers of
// their pieces, to value and slope. Then it evaluates the polynomials, again four rows at a time: the four lanes of
// a register belong to one row, and are the even and the odd powers of its value, and those of its slope. (In one
// loop, fewer operations of different rows would be in flight.) It stops before four rows of which one has no piece.
// A compact table has a last span for the margins outside its support.
func table(name string, compact bool) {
	const together = 32 // rows
	TEXT(name, NOSPLIT, "func(value, slope, z *float64, rows int, logs, inverses *float64, pieces **float64, "+
		"rate, inverse, scale, reach float64) int")
	value, slope, z := pointer("value"), pointer("slope"), pointer("z")
	logs, inverses, pieces := pointer("logs"), pointer("inverses"), pointer("pieces")
	rows, done, at, end := Load(Param("rows"), GP64()), GP64(), GP64(), GP64()
	rate, inverse, scale, reach := Y12, Y13, Y14, Y15
	fill(rate, "rate")
	fill(inverse, "inverse")
	fill(scale, "scale")
	fill(reach, "reach")
	row := func(list Mem, n int) Mem { return Mem{Base: list.Base, Index: at, Scale: 1, Disp: n * word} }
	XORQ(done, done)
	Label("rows")
	MOVQ(rows, end)
	CMPQ(end, U8(together))
	JLE(LabelRef("few"))
	MOVQ(U64(together), end)
	Label("few")
	ANDQ(I8(-4), end)
	JE(LabelRef("end"))
	SHLQ(U8(3), end)
	XORQ(at, at)
	Label("place")
	u, left := Y0, Y1
	VMOVUPD(row(z, 0), u)
	VANDPD(bits64(1<<63-1), u, u)
	if compact {
		VMOVUPD(bcast(1), left)
		VFNMADD231PD(u, rate, left) // what is left of the support
	}
	VMULPD(rate, u, u)
	if compact {
		VDIVPD(left, u, u)
	}
	// 1 + u is 2^e times a mantissa from 1 to 2
	large, sum, mantissa, e := Y3, Y4, Y10, Y2
	VCMPPD(U8(0x1d), bcast(1), u, large)
	VADDPD(bcast(1), u, sum)
	VPAND(bits64(1<<52-1), sum, mantissa)
	VPOR(bits64(1023<<52), mantissa, mantissa)
	VSUBPD(bcast(1), mantissa, mantissa)
	VBLENDVPD(large, mantissa, u, u)
	VPSRLQ(U8(52), sum, e)
	VPOR(bcast(0x1p52), e, e) // 2^52 + 1023 + e
	VSUBPD(bcast(0x1p52+1023), e, e)
	VANDPD(large, e, e)
	w := logarithm(u, logs, inverses)
	VMULPD(bcast(math.Ln2), e, e)
	VADDPD(e, w, w)
	VMULPD(inverse, w, w)
	inside, all, span, x := Y3, GP32(), Y4, Y5
	VCMPPD(U8(0x11), reach, w, inside)
	VMULPD(scale, w, x)
	if compact {
		out, past := Y6, Y7
		VCMPPD(U8(0x1e), bcast(0), left, out)
		VANDPD(out, inside, inside)
		VCMPPD(U8(0x11), bcast(-0x1p-20), left, out)
		VORPD(out, inside, inside)
		VMULPD(scale, reach, past)
		VADDPD(bcast(.75), past, past)
		VBLENDVPD(out, past, x, x)
	}
	VMOVMSKPD(inside, all)
	CMPL(all, U8(15))
	JNE(LabelRef("placed"))
	VCVTTPD2DQY(x, span.AsX())
	middle, negative := Y6, Y7
	VCVTDQ2PD(span.AsX(), middle)
	VADDPD(middle, middle, middle)
	VADDPD(bcast(1), middle, middle)
	VADDPD(x, x, x)
	VSUBPD(middle, x, x)
	VPMOVSXDQ(span.AsX(), span)
	VPADDQ(span, span, span)
	VMOVUPD(row(z, 0), negative)
	VPSRLQ(U8(63), negative, negative)
	VPADDQ(negative, span, span)
	VMOVUPD(x, row(value, 0))
	VMOVUPD(span, row(slope, 0))
	ADDQ(U8(4*word), at)
	CMPQ(at, end)
	JLT(LabelRef("place"))
	Label("placed")
	MOVQ(at, end)
	XORQ(at, at)
	TESTQ(end, end)
	JE(LabelRef("end"))
	Label("evaluate")
	piece := []Register{GP64(), GP64(), GP64(), GP64()}
	for k, p := range piece {
		MOVQ(row(slope, k), p)
		MOVQ(Mem{Base: pieces.Base, Index: p, Scale: 8}, p)
		TESTQ(p, p)
		JE(LabelRef("end"))
	}
	x2, sums := ys[4:8], ys[:4]
	step := func(row, k int) Mem { return Mem{Base: piece[row], Disp: k * 4 * word} }
	for k, sum := range sums {
		VBROADCASTSD(row(value, k), x2[k])
		VMULPD(x2[k], x2[k], x2[k])
		VMULPD(step(k, 0), x2[k], sum)
		VADDPD(step(k, 1), sum, sum)
	}
	for m := 2; m < steps-1; m++ {
		for k, sum := range sums {
			VMULPD(x2[k], sum, sum)
			VADDPD(step(k, m), sum, sum)
		}
	}
	for k, sum := range sums {
		VBROADCASTSD(row(value, k), ys[8+k])
		VBLENDPD(U8(0b1010), ys[8+k], x2[k], x2[k])
		VMULPD(x2[k], sum, sum)
		VADDPD(step(k, steps-1), sum, sum)
	}
	VHADDPD(sums[1], sums[0], Y8) // values of two rows, then their slopes
	VHADDPD(sums[3], sums[2], Y9)
	VPERM2F128(U8(0x20), Y9, Y8, Y10)
	VPERM2F128(U8(0x31), Y9, Y8, Y11)
	VMOVUPD(Y10, row(value, 0))
	VMOVUPD(Y11, row(slope, 0))
	ADDQ(U8(4*word), at)
	ADDQ(U8(4), done)
	CMPQ(at, end)
	JLT(LabelRef("evaluate"))
	for _, list := range []Mem{value, slope, z} {
		ADDQ(end, list.Base)
	}
	SHRQ(U8(3), end)
	SUBQ(end, rows)
	JMP(LabelRef("rows"))
	Label("end")
	VZEROUPPER()
	Store(done, ReturnIndex(0))
	RET()
}

// steps is the number of pairs of powers in a polynomial of package vector.
const steps = 9

// temper makes α-losses and their slopes of logistic ones, four at a time, and stops before four of which one is out
// of range. Minus is −e, and inverse is −1/e.
func temper() {
	TEXT("temper256", NOSPLIT, "func(value, slope *float64, rows int, exps *uint64, minus, inverse float64) int")
	value, slope, powers := pointer("value"), pointer("slope"), pointer("exps")
	minus, inverse := Y12, Y13
	fill(minus, "minus")
	fill(inverse, "inverse")
	fours(func() {
		x, far := Y2, Y4
		VMULPD(Mem{Base: value.Base}, minus, x)
		VORPD(bits64(1<<63), x, far)
		leave(far)
		scale, tail := split(x, powers)
		p := Y3
		VMULPD(scale, tail, tail)
		VADDPD(tail, scale, p)
		VSUBPD(bcast(1), scale, scale)
		VADDPD(tail, scale, scale)
		VMULPD(inverse, scale, scale)
		VMOVUPD(scale, Mem{Base: value.Base})
		VMULPD(Mem{Base: slope.Base}, p, p)
		VMOVUPD(p, Mem{Base: slope.Base})
	}, value, slope)
}

// exps computes e^x as math.Exp does on a processor that fuses products with sums, four numbers at a time, and stops
// before four of which one is out of range.
func exps() {
	TEXT("exps256", NOSPLIT, "func(dst, x *float64, rows int) int")
	Pragma("noescape") // a short list stays on the stack
	dst, from := pointer("dst"), pointer("x")
	fours(func() {
		x, k, far := Y0, Y1, Y2
		VMOVUPD(Mem{Base: from.Base}, x)
		VORPD(bits64(1<<63), x, far)
		leave(far)
		n := X4
		VMULPD(bcast(1.4426950408889634073599246810018920), x, k)
		VCVTPD2DQY(k, n)
		VCVTDQ2PD(n, k)
		VFNMADD231PD(bcast(0.69314718055966295651160180568695068359375), k, x)
		VFNMADD231PD(bcast(0.28235290563031577122588448175013436025525412068e-12), k, x)
		VMULPD(bcast(0.0625), x, x)
		sum := Y3
		VMOVUPD(bcast(2.4801587301587301587e-5), sum)
		for _, term := range []float64{1.9841269841269841270e-4, 1.3888888888888888889e-3, 8.3333333333333333333e-3,
			4.1666666666666666667e-2, 1.6666666666666666667e-1, .5, 1} {
			VFMADD213PD(bcast(term), x, sum)
		}
		VMULPD(sum, x, x)
		for range 3 {
			VADDPD(bcast(2), x, sum)
			VMULPD(sum, x, x)
		}
		VADDPD(bcast(2), x, sum)
		VFMADD213PD(bcast(1), sum, x)
		VPMOVSXDQ(n, Y5)
		VPADDQ(bits64(1023), Y5, Y5)
		VPSLLQ(U8(52), Y5, Y5)
		VMULPD(Y5, x, x)
		VMOVUPD(x, Mem{Base: dst.Base})
	}, dst, from)
}

// sums adds up the pairs of the rows of each span, in four sums. A pair fills half a register, so it is added by one
// instruction.
func sums() {
	TEXT("sums256", NOSPLIT, "func(dst, pairs *float64, rows *int32, spans *[2]int32, count int)")
	dst, pairs, rows, spans := pointer("dst"), pointer("pairs"), pointer("rows"), pointer("spans")
	count := Load(Param("count"), GP64())
	all := []VecPhysical{X0, X1, X2, X3}
	at, left := GP64(), GP64()
	add := func(place int, to VecPhysical) {
		row := GP64()
		MOVLQSX(Mem{Base: at, Disp: 4 * place}, row)
		ADDQ(row, row)
		VADDPD(Mem{Base: pairs.Base, Index: row, Scale: word}, to, to)
	}
	Label("span")
	MOVLQSX(spans, at)
	MOVLQSX(spans.Offset(4), left)
	SUBQ(at, left)
	LEAQ(Mem{Base: rows.Base, Index: at, Scale: 4}, at)
	for _, sum := range all {
		VXORPD(sum, sum, sum)
	}
	Label("four")
	SUBQ(U8(4), left)
	JLT(LabelRef("rest"))
	for k, sum := range all {
		add(k, sum)
	}
	ADDQ(U8(4*4), at)
	JMP(LabelRef("four"))
	Label("rest")
	ADDQ(U8(4), left)
	JE(LabelRef("store"))
	Label("one")
	add(0, all[0])
	ADDQ(U8(4), at)
	DECQ(left)
	JNE(LabelRef("one"))
	Label("store")
	VADDPD(X1, X0, X0)
	VADDPD(X3, X2, X2)
	VADDPD(X2, X0, X0)
	VMOVUPD(X0, dst)
	ADDQ(U8(2*word), dst.Base)
	ADDQ(U8(2*4), spans.Base)
	DECQ(count)
	JNE(LabelRef("span"))
	RET()
}

// normalise divides weights by their sum and writes them beside their products with the classes.
func normalise() {
	TEXT("normalise256", NOSPLIT, "func(d, pairs, y *float64, rows int, sum float64, "+
		"weight, lean, square *float64)")
	d, pairs, y := pointer("d"), pointer("pairs"), pointer("y")
	weight, lean, square := pointer("weight"), pointer("lean"), pointer("square")
	rows := Load(Param("rows"), GP64())
	by, weights, leans, squares := Y15, Y14, Y13, Y12
	fill(by, "sum")
	for _, sum := range []VecPhysical{weights, leans, squares} {
		VXORPD(sum, sum, sum)
	}
	Label("rows")
	v, signed, low, high, t := Y0, Y1, Y2, Y3, Y4
	VMOVUPD(d, v)
	VDIVPD(by, v, v)
	VMOVUPD(v, d)
	VMULPD(y, v, signed)
	VADDPD(v, weights, weights)
	VADDPD(signed, leans, leans)
	VMULPD(v, v, t)
	VADDPD(t, squares, squares)
	VUNPCKLPD(signed, v, low)  // the pairs of rows 0 and 2
	VUNPCKHPD(signed, v, high) // 1 and 3
	VMOVUPD(low.AsX(), pairs)
	VMOVUPD(high.AsX(), pairs.Offset(2*word))
	VEXTRACTF128(U8(1), low, pairs.Offset(4*word))
	VEXTRACTF128(U8(1), high, pairs.Offset(6*word))
	ADDQ(U8(4*word), d.Base)
	ADDQ(U8(4*word), y.Base)
	ADDQ(U8(8*word), pairs.Base)
	SUBQ(U8(4), rows)
	JNE(LabelRef("rows"))
	VMOVUPD(weights, weight)
	VMOVUPD(leans, lean)
	VMOVUPD(squares, square)
	VZEROUPPER()
	RET()
}

// move adds step·u to m and returns the largest absolute value.
func move() {
	TEXT("move256", NOSPLIT, "func(m, u *float64, rows int, step float64) float64")
	m, u := pointer("m"), pointer("u")
	rows := Load(Param("rows"), GP64())
	step, most, v := Y0, Y1, Y2
	fill(step, "step")
	VXORPD(most, most, most)
	Label("rows")
	VMULPD(u, step, v)
	VADDPD(m, v, v)
	VMOVUPD(v, m)
	VANDPD(bits64(1<<63-1), v, v)
	VMAXPD(most, v, most) // most, if v is NaN
	ADDQ(U8(4*word), m.Base)
	ADDQ(U8(4*word), u.Base)
	SUBQ(U8(4), rows)
	JNE(LabelRef("rows"))
	VEXTRACTF128(U8(1), most, v.AsX())
	VMAXPD(most.AsX(), v.AsX(), most.AsX())
	VPERMILPD(U8(1), most.AsX(), v.AsX())
	VMAXSD(most.AsX(), v.AsX(), most.AsX())
	VZEROUPPER()
	Store(most.AsX(), ReturnIndex(0))
	RET()
}

// fours writes a loop over the rows, four at a time, whose lists advance together. It returns how many rows it has
// done. A body that goes to the label end leaves its rows undone.
func fours(body func(), lists ...Mem) {
	rows, done := Load(Param("rows"), GP64()), GP64()
	XORQ(done, done)
	Label("rows")
	CMPQ(rows, U8(4))
	JLT(LabelRef("end"))
	body()
	for _, list := range lists {
		ADDQ(U8(4*word), list.Base)
	}
	ADDQ(U8(4), done)
	SUBQ(U8(4), rows)
	JMP(LabelRef("rows"))
	Label("end")
	VZEROUPPER()
	Store(done, ReturnIndex(0))
	RET()
}

// levels evaluates the ramps of each row's side at u + step·d. It writes the level, the level times v, and 1 for the
// rows on a ramp, and adds to the sums of along.
func levels() {
	TEXT("levels256", NOSPLIT, "func(t, vt *float64, on *uint8, slope, square, u, d, v *float64, side *uint8, rows int, "+
		"ramps *float64, count int, rate, step float64) int")
	Pragma("noescape") // the sums stay on the stack

	t, vt, on := pointer("t"), pointer("vt"), pointer("on")
	expanded := bytes()
	travel(func(v Mem) {
		level := Y1
		VMOVUPD(level, t)
		VMULPD(v, level, level)
		VMOVUPD(level, vt)
		expand, bits := GP64(), GP64()
		LEAQ(expanded, expand)
		VMOVMSKPD(Y2, bits.As32())
		MOVL(Mem{Base: expand, Index: bits, Scale: 4}, bits.As32())
		MOVL(bits.As32(), on)
		ADDQ(U8(4), on.Base)
	}, t, vt)
}

// along adds v·d times the level at u + step·d, and v·d² for the rows on a ramp, to four sums each, by turns.
func along() {
	TEXT("along256", NOSPLIT, "func(slope, square, u, d, v *float64, side *uint8, rows int, "+
		"ramps *float64, count int, rate, step float64) int")
	Pragma("noescape") // the sums stay on the stack

	travel(func(v Mem) { VMULPD(v, Y1, Y1) })
}

// travel writes the loop of levels and along. Times replaces the levels of four rows in Y1 by their products with v.
func travel(times func(v Mem), lists ...Mem) {
	slope, square, u, d, v, side := pointer("slope"), pointer("square"), pointer("u"), pointer("d"), pointer("v"),
		pointer("side")
	step := Y14
	fill(step, "step")
	slopes, squares := Y12, Y13
	VXORPD(slopes, slopes, slopes)
	VXORPD(squares, squares, squares)
	at := ramps()
	fours(func() {
		level, on, point, by, move := Y1, Y2, Y0, Y10, Y11
		VMOVUPD(d, move)
		VMULPD(move, step, point)
		VADDPD(u, point, point)
		at(point, side)
		times(v)
		VMULPD(move, level, level)
		VADDPD(level, slopes, slopes)
		VMULPD(v, move, by)
		VMULPD(by, move, by)
		VANDPD(on, by, by)
		VADDPD(by, squares, squares)
		VMOVUPD(slopes, slope)
		VMOVUPD(squares, square)
		ADDQ(U8(4), side.Base)
	}, append(lists, u, d, v)...)
}

// ramps prepares the ramps, of which each has where it starts, its level there and its last level, of side 0 and of
// side 1. What it returns puts the level of four rows at a point in Y1, and all bits of those on a ramp in Y2.
func ramps() func(point VecPhysical, side Mem) {
	rate := Y15
	fill(rate, "rate")
	return func(point VecPhysical, side Mem) {
		level, on, positive := Y1, Y2, Y3
		from, low, high, z := Y4, Y5, Y6, Y7
		field := sided(side, positive)
		ramp, left := pointer("ramps"), Load(Param("count"), GP64()) // again, as registers are few
		field(1, ramp, level)
		VXORPD(on, on, on)
		Label("next")
		field(0, ramp, from)
		field(1, ramp, low)
		field(2, ramp, high)
		VSUBPD(from, point, z)
		VMULPD(rate, z, z)
		VADDPD(low, z, z)
		VCMPPD(U8(0x1d), from, point, from) // point ≥ from
		VCMPPD(U8(0x11), high, z, low)      // z < high
		VMINPD(high, z, z)
		VBLENDVPD(from, z, level, level)
		VBLENDVPD(from, low, on, on)
		ADDQ(U8(6*word), ramp.Base)
		DECQ(left)
		JNE(LabelRef("next"))
	}
}

// hulls writes the largest of some lines at x. A line has its slope and its value at 0, of side 0 and of side 1.
func hulls() {
	TEXT("hulls256", NOSPLIT, "func(dst, x *float64, side *uint8, rows int, lines *float64, count int) int")
	Pragma("noescape") // results stay on the stack
	dst, x, side := pointer("dst"), pointer("x"), pointer("side")
	lines, count := pointer("lines"), Load(Param("count"), GP64())
	fours(func() {
		point, positive, most, value, at := Y0, Y1, Y2, Y3, Y4
		VMOVUPD(x, point)
		field := sided(side, positive)
		line, left := Mem{Base: GP64()}, GP64()
		MOVQ(lines.Base, line.Base)
		MOVQ(count, left)
		VMOVUPD(bits64(math.Float64bits(math.Inf(-1))), most)
		Label("line")
		field(0, line, value)
		field(1, line, at)
		VMULPD(point, value, value)
		VADDPD(at, value, value)
		VMAXPD(most, value, most) // most, if the value is NaN
		ADDQ(U8(4*word), line.Base)
		DECQ(left)
		JNE(LabelRef("line"))
		VMOVUPD(most, dst)
		ADDQ(U8(4), side.Base)
	}, dst, x)
}

// sided marks four rows of side 1 in a register. What it returns loads number k of what has two numbers, of side 0 and
// of side 1, for each of the rows; it uses Y8.
func sided(side Mem, positive VecPhysical) func(k int, of Mem, to VecPhysical) {
	VPMOVZXBQ(side, positive)
	VPSLLQ(U8(63), positive, positive)
	return func(k int, of Mem, to VecPhysical) {
		VBROADCASTSD(of.Offset(2*k*word), to)
		VBROADCASTSD(of.Offset((2*k+1)*word), Y8)
		VBLENDVPD(positive, Y8, to, to)
	}
}

// bytes holds, for each of the 16 numbers of four bits, the bits as four bytes.
func bytes() Mem {
	m := GLOBL("bytes", RODATA|NOPTR)
	for n := range 16 {
		v := uint32(0)
		for k := range 4 {
			v |= uint32(n>>k&1) << (8 * k)
		}
		DATA(4*n, U32(v))
	}
	return m
}

// ask prefetches cache lines.
func ask() {
	TEXT("prefetch", NOSPLIT, "func(next *float64, lines int)")
	next, lines := pointer("next"), Load(Param("lines"), GP64())
	Label("line")
	PREFETCHT0(next)
	ADDQ(U8(64), next.Base)
	DECQ(lines)
	JGT(LabelRef("line"))
	RET()
}

var quads = map[uint64]Mem{}

// bits64 is a constant in memory, four times over.
func bits64(v uint64) Mem {
	if m, ok := quads[v]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("quad%016x", v), RODATA|NOPTR)
	for i := range 4 {
		DATA(i*word, U64(v))
	}
	quads[v] = m
	return m
}

func bcast(v float64) Mem { return bits64(math.Float64bits(v)) }
