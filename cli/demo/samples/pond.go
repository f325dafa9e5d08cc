package samples

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// reading is one simulated day at Lantern Pond.
type reading struct {
	day     time.Time
	celsius float64 // of the water at 0.5 m, never below 0.2
	level   float64 // of the surface against the gauge's zero, in centimetres
}

// pond simulates the ten years from 2015 to 2024: a yearly wave with its crest
// in late July, weather that fades by a fifth a day, and a level that rain fills
// and evaporation lowers.
func pond() []reading {
	d := roll(1)
	var all []reading
	weather, level := 0.0, 40.0
	end := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC); day.Before(end); day = day.AddDate(0, 0, 1) {
		season := math.Cos(2 * math.Pi * float64(day.YearDay()-205) / 365.25)
		weather = 0.8*weather + 0.9*d.bell()
		celsius := max(0.2, 11.2+8.6*season+weather)
		if d.unit() < 0.3 {
			level += 9 * d.unit() * d.unit()
		}
		level += (40-level)*0.02 - 0.01*celsius
		all = append(all, reading{day, celsius, level})
	}
	return all
}

const (
	pondHeader = "date,water_temperature_c,level_cm,note\n"
	dateForm   = "2006-01-02"
)

// The week in which the sensor of the story hung.
var (
	stuckFrom = time.Date(2019, 7, 8, 0, 0, 0, 0, time.UTC)
	stuckTo   = time.Date(2019, 7, 15, 0, 0, 0, 0, time.UTC)
)

func stuck(day time.Time) bool { return !day.Before(stuckFrom) && day.Before(stuckTo) }

// pondFirst is the table as first published: the sensor hung for a week unnoticed.
func pondFirst() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(pondHeader)
	shown := 0.0
	for _, r := range pond() {
		if !stuck(r.day) {
			shown = r.celsius
		}
		fmt.Fprintf(&out, "%s,%.2f,%.1f,\n", r.day.Format(dateForm), shown, r.level)
	}
	return out.Bytes(), nil
}

// pondSecond is the corrected table: the week is missing, and says why.
func pondSecond() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(pondHeader)
	for _, r := range pond() {
		if stuck(r.day) {
			fmt.Fprintf(&out, "%s,,%.1f,sensor stuck\n", r.day.Format(dateForm), r.level)
			continue
		}
		fmt.Fprintf(&out, "%s,%.2f,%.1f,\n", r.day.Format(dateForm), r.celsius, r.level)
	}
	return out.Bytes(), nil
}

// pondMonth is one month of the simulation.
func pondMonth(year int, month time.Month) []byte {
	var out bytes.Buffer
	out.WriteString("date,water_temperature_c,level_cm\n")
	for _, r := range pond() {
		if r.day.Year() == year && r.day.Month() == month {
			fmt.Fprintf(&out, "%s,%.2f,%.1f\n", r.day.Format(dateForm), r.celsius, r.level)
		}
	}
	return out.Bytes()
}

// pondMonths returns twelve small files in four folders, a list of them with
// their checksums, and the empty file that says the set is complete.
func pondMonths() []File {
	const year = 2024
	var out []File
	for month := time.January; month <= time.December; month++ {
		out = append(out, File{
			Name:       fmt.Sprintf("%d-%02d.csv", year, month),
			FolderPath: fmt.Sprintf("%d/Q%d", year, (month+2)/3),
			Data:       func() ([]byte, error) { return pondMonth(year, month), nil },
		})
	}
	list := func() ([]byte, error) {
		type line struct {
			Path   string `json:"path"`
			Bytes  int    `json:"bytes"`
			SHA256 string `json:"sha256"`
		}
		var lines []line
		for month := time.January; month <= time.December; month++ {
			data := pondMonth(year, month)
			sum := sha256.Sum256(data)
			lines = append(lines, line{
				Path:   fmt.Sprintf("%d/Q%d/%d-%02d.csv", year, (month+2)/3, year, month),
				Bytes:  len(data),
				SHA256: hex.EncodeToString(sum[:]),
			})
		}
		return json.MarshalIndent(lines, "", "  ")
	}
	return append(out,
		File{Name: "manifest.json", Data: list},
		File{Name: "_SUCCESS", Data: text("")},
	)
}

// gzipped returns data packed with gzip, without name or time in its header.
func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
