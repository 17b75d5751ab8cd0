package loss

// Families is the only list of losses; the API, trainers, playground, studies and tests read it. A new
// loss is one file and one line here; docs/add-a-loss.md says what else some losses need.
var Families = []Family{
	twoTemperature, tLogistic, alpha, biTempered,
	intervals,
	advZeroOne, advOrdinal, advSquared, advAbstain, advCost,
	logistic, hinge, squaredHinge, exponential, probit, ramp, dwd, zeroOne,
	softmax, temperedMulticlass, biTemperedMulticlass, westonWatkins, crammerSinger, leeLinWahba, oneVsAll,
	allThreshold, immediateThreshold, reduction,
}
