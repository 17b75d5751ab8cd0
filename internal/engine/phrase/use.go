package phrase

// IntendedUse is part of every report and of every exported model.
const IntendedUse = "Intended use: research and education. Not a medical device."
