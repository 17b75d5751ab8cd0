package phrase

// IntendedUse stands on every report and on every copy of a model.
const IntendedUse = "Intended use: research and education. Not a medical device."
