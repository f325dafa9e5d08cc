package samples

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
)

func museum() []Item {
	return []Item{
		{
			Title: "Catalogue of the imaginary moss cabinet of Vell",
			Description: `<p>Sixty entries of a herbarium that nobody has collected, as XML and as JSON with the same content: ` +
				`number, invented name, height in mm, where and when it would have been found.</p>` +
				`<p><em>Synthetic data, made for demonstration. The names belong to no real moss.</em></p>`,
			Tags:        []string{"herbarium", "XML", "JSON", "synthetic data"},
			CategoryIDs: []int64{4302, 430202},
			DefinedType: "dataset",
			LicenseID:   1,
			Authors:     []string{"Łucja Żabińska", "Marigold Exemplar", "Zoë Ångström-Çelik", "Søren Papirhav"},
			Files: []File{
				{Name: "mosses.xml", Data: func() ([]byte, error) {
					body, err := xml.MarshalIndent(cabinet(), "", "  ")
					return append([]byte(xml.Header), append(body, '\n')...), err
				}},
				{Name: "mosses.json", Data: func() ([]byte, error) { return json.MarshalIndent(cabinet(), "", "  ") }},
			},
			Embargo: &Embargo{
				Days: 365, Title: "Files follow later",
				Reason: "The imaginary cabinet is still being imagined. Readers see this record now and its files in a year.",
			},
			Owner:   1,
			Publish: true,
		},
		{
			Title: "The brass tide clock of Vell harbour",
			Description: `<p>A clock of 42&nbsp;cm × 30&nbsp;cm × 18&nbsp;cm and 6.4&nbsp;kg that would show the tide if there were a harbour. ` +
				`This record describes a thing and has no files.</p><p><em>The clock is invented; the record was made for demonstration.</em></p>`,
			Tags:         []string{"clock", "tide", "object without files"},
			CategoryIDs:  []int64{430205},
			DefinedType:  "physical object",
			LicenseID:    1,
			Authors:      []string{"Nguyễn Hư Cấu"},
			CustomFields: []Field{{"Inventory number", "VH-0017"}, {"Mass", "6.4 kg"}, {"Material", "brass, glass, walnut"}},
			Owner:        1,
			Publish:      true,
		},
	}
}

// moss is one sheet of the cabinet; the tags name it in both files.
type moss struct {
	Number int     `xml:"number,attr" json:"number"`
	Name   string  `xml:"name" json:"name"`
	Height float64 `xml:"height_mm" json:"height_mm"`
	Where  string  `xml:"where" json:"where"`
	Year   int     `xml:"year" json:"year"`
}

type mosses struct {
	XMLName xml.Name `xml:"cabinet" json:"-"`
	Note    string   `xml:"note" json:"note"`
	Sheets  []moss   `xml:"sheet" json:"sheets"`
}

func cabinet() mosses {
	d := roll(9)
	pick := func(from ...string) string { return from[int(d.unit()*float64(len(from)))] }
	out := mosses{Note: "Invented for demonstration; no such moss, place or find exists."}
	for i := range 60 {
		out.Sheets = append(out.Sheets, moss{
			Number: i + 1,
			Name: fmt.Sprintf("%s %s", pick("Fictibryum", "Nullidium", "Exemplothecium", "Vellomnium"),
				pick("lanternae", "imaginarium", "papyri", "absentis", "demonstrans")),
			Height: float64(int(40+260*d.unit())) / 10,
			Where:  pick("Cold Spring", "Deep Well", "Źródełko", "Moss Spring", "Ridge path"),
			Year:   1890 + int(60*d.unit()),
		})
	}
	return out
}
