# Print the mean water temperature of every year in the table of Lantern Pond.

args <- commandArgs(trailingOnly = TRUE)
if (length(args) != 1) stop("usage: readpond.R table.csv")

pond <- read.csv(args[1], encoding = "UTF-8")
pond <- pond[!is.na(pond$water_temperature_c), ]
means <- tapply(pond$water_temperature_c, substr(pond$date, 1, 4), mean)
cat(sprintf("%s\t%.2f\n", names(means), means), sep = "")
