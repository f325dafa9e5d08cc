# Put pond-temperature-corrected.csv here, then: make
table = pond-temperature-corrected.csv

all: warmest.txt

monthly.csv: $(table) steps/monthly.py
	python3 steps/monthly.py $(table) > $@

warmest.txt: monthly.csv
	tail -n +2 monthly.csv | sort -t, -k2,2nr | head -n 5 > $@

clean:
	rm -f monthly.csv warmest.txt

.PHONY: all clean
.DELETE_ON_ERROR:
