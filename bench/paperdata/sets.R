# Rscript sets.R FOLDER: the papers' sets that are in r-cran-mlbench, -mass and -kernlab, a
# CSV each, the outcome last. A line of each goes to standard output: file, package, version,
# licence of the package, what it is.
out <- commandArgs(trailingOnly = TRUE)[1]

of <- function(package, name) {
  e <- new.env()
  data(list = name, package = package, envir = e)
  e[[name]]
}

write <- function(file, package, data, outcome, what) {
  data <- data[c(setdiff(names(data), outcome), outcome)]
  names(data) <- gsub("[^A-Za-z0-9]+", "_", names(data))
  write.csv(data, file.path(out, file), row.names = FALSE, na = "", quote = FALSE)
  about <- packageDescription(package)
  cat(file, package, about$Version, about$License, what, sep = "\t")
  cat("\n")
}

write("glass.csv", "mlbench", of("mlbench", "Glass"), "Type", "Glass identification (UCI)")
write("vehicle.csv", "mlbench", of("mlbench", "Vehicle"), "Class", "Vehicle silhouettes (Statlog)")
write("satellite.csv", "mlbench", of("mlbench", "Satellite"), "classes",
  "Landsat satellite (Statlog), training and test part")
vowel <- of("mlbench", "Vowel") # V1 is the speaker
write("vowel.csv", "mlbench", vowel[names(vowel) != "V1"], "Class", "Vowel recognition (Deterding), without the speaker")
write("letter.csv", "mlbench", of("mlbench", "LetterRecognition"), "lettr", "Letter recognition (UCI)")
cancer <- of("mlbench", "BreastCancer") # the number of a sample is no measurement
write("breast-cancer.csv", "mlbench", cancer[names(cancer) != "Id"], "Class", "Wisconsin breast cancer, the original of 1992")
flight <- of("mlbench", "Ionosphere")
write("ionosphere.csv", "mlbench", flight, "Class", "Ionosphere (UCI)")
write("sonar.csv", "mlbench", of("mlbench", "Sonar"), "Class", "Sonar, mines and rocks (UCI)")
write("pima.csv", "mlbench", of("mlbench", "PimaIndiansDiabetes"), "diabetes", "Pima Indians diabetes (UCI)")
write("spam.csv", "kernlab", of("kernlab", "spam"), "type", "Spam e-mail (UCI)")
write("musk.csv", "kernlab", of("kernlab", "musk"), "Class", "Musk, version 1 (UCI)")
boston <- of("MASS", "Boston")
write("boston.csv", "MASS", boston, "medv", "Boston house prices (Harrison and Rubinfeld 1978)")
cpus <- of("MASS", "cpus") # the name is no measurement, estperf was fitted to the outcome
write("machinecpu.csv", "MASS", cpus[!names(cpus) %in% c("name", "estperf")], "perf",
  "Performance of computer processors (Ein-Dor and Feldmesser 1987)")
write("servo.csv", "mlbench", of("mlbench", "Servo"), "Class", "Servo (UCI)")
