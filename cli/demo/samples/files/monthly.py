"""Turn the daily table of Lantern Pond into monthly means, as CSV on standard output."""

import csv
import sys
from itertools import groupby

with open(sys.argv[1], newline="", encoding="utf-8") as table:
    days = [row for row in csv.DictReader(table) if row["water_temperature_c"]]

out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["month", "mean_water_temperature_c", "days"])
for month, rows in groupby(days, key=lambda row: row["date"][:7]):
    values = [float(row["water_temperature_c"]) for row in rows]
    out.writerow([month, f"{sum(values) / len(values):.2f}", len(values)])
