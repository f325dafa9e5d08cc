package samples

func writings() []Item {
	return []Item{
		{
			Title: "How a figure finds its way into a repository (poster)",
			Description: `<p>A poster in A1 upright (594&nbsp;mm × 841&nbsp;mm), drawn as SVG: from a measurement to a file, from a file to an item, from an item to a citation.</p>` +
				`<p><em>Drawn for demonstration; it was shown at no conference.</em></p>`,
			Tags:        []string{"poster", "research data", "SVG"},
			CategoryIDs: []int64{461001, 4605},
			DefinedType: "poster",
			LicenseID:   1,
			Authors:     []string{"Fenella Inkwell", "Marigold Exemplar"},
			Files:       []File{{Name: "poster-a1.svg", Data: fixed("poster.svg")}},
			Publish:     true,
		},
		{
			Title: "Files, versions, identifiers: eight slides about sharing data",
			Description: `<p>Slides in Markdown, separated by lines of dashes, for a talk of ten minutes: what to share, how to name files, ` +
				`what a version is, and why an identifier outlives an address.</p><p><em>Written for demonstration; nobody has given the talk yet.</em></p>`,
			Tags:        []string{"slides", "research data", "versions", "DOI"},
			References:  []string{"https://doi.org/10.1038/sdata.2016.18", "https://www.doi.org/"},
			CategoryIDs: []int64{461007},
			DefinedType: "presentation",
			LicenseID:   1,
			Authors:     []string{"Søren Papirhav"},
			Files:       []File{{Name: "slides.md", Data: fixed("slides.md")}},
			Owner:       1,
			Publish:     true,
		},
		{
			Title: "Worksheet: what a chart says and what it does not",
			Description: `<p>Six questions on a table of seven days, for people who read charts for the first time, with answers in a file of their own.</p>` +
				`<p><em>Written for demonstration; the numbers are invented.</em></p>`,
			Tags:        []string{"worksheet", "charts", "teaching"},
			CategoryIDs: []int64{390109},
			DefinedType: "educational resource",
			LicenseID:   1,
			Authors:     []string{"Zoë Ångström-Çelik"},
			Files: []File{
				{Name: "worksheet.md", Data: fixed("worksheet.md")},
				{Name: "answers.md", FolderPath: "for teachers", Data: fixed("answers.md")},
			},
			Publish: true,
		},
	}
}
