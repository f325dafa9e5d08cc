"""Print the mean water temperature of every year in the table of Lantern Pond."""

import csv
import sys
from collections import defaultdict


def yearly_means(rows):
    """Return {year: mean in °C}, leaving out days without a temperature."""
    by_year = defaultdict(list)
    for row in rows:
        if row["water_temperature_c"]:
            by_year[row["date"][:4]].append(float(row["water_temperature_c"]))
    return {year: sum(values) / len(values) for year, values in sorted(by_year.items())}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: readpond.py table.csv")
    with open(sys.argv[1], newline="", encoding="utf-8") as table:
        for year, mean in yearly_means(csv.DictReader(table)).items():
            print(f"{year}\t{mean:.2f}")
