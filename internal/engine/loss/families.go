package loss

// Families is the one list that drives the explorer, the trainers, the API and
// the tests. A new loss is one file and one line here.
var Families = []Family{
	twoTemperature, tLogistic, alpha,
	intervals,
	advZeroOne, advOrdinal, advSquared, advAbstain, advCost,
	logistic, hinge, squaredHinge, exponential, probit, ramp, dwd, zeroOne,
	softmax, temperedMulticlass, westonWatkins, crammerSinger, leeLinWahba, oneVsAll,
	allThreshold, immediateThreshold, reduction,
}
