package samples

// pondItems are the data of Lantern Pond: a table in two versions, its months in
// folders, a chart, and a draft.
func pondItems() []Item {
	return []Item{
		{
			Title: "Daily water temperature of Lantern Pond, 2015 to 2024 (simulated)",
			Description: `<p>Ten years of daily water temperature (°C, at 0.5&nbsp;m depth) and water level (cm) of Lantern Pond, ` +
				`a pond that does not exist. The numbers come from a small seeded simulation: a yearly wave of ±8.6&nbsp;°C around 11.2&nbsp;°C, ` +
				`weather that fades by a fifth a day, and rain on three days in ten.</p>` +
				`<ul><li><b>pond-temperature.csv</b>: one row a day, 3,653 rows</li><li><b>README.md</b>: the columns and how they were made</li></ul>` +
				`<p><em>Synthetic data, made for demonstration. Please do not use them to say anything about ponds.</em></p>`,
			Tags:        []string{"water temperature", "pond", "time series", "synthetic data"},
			References:  []string{"https://doi.org/10.17487/RFC4180"},
			CategoryIDs: []int64{370704, 310304},
			DefinedType: "dataset",
			LicenseID:   1,
			Authors:     []string{"Marigold Exemplar", "Zoë Ångström-Çelik", "Tobias Nullstein"},
			Funding:     "Imaginary Fund for Small Waters, grant DEMO-0001",
			CustomFields: []Field{
				{"Sampling interval", "1 day"},
				{"Sensor depth", "0.5 m"},
				{"Software used", "A seeded simulation in Go"},
			},
			Files: []File{
				{Name: "pond-temperature.csv", Data: pondFirst},
				{Name: "README.md", Data: fixed("pond-readme.md")},
			},
			Publish: true,
			SecondVersion: &Revision{
				Title: "Daily water temperature of Lantern Pond, 2015 to 2024 (simulated, corrected)",
				Description: `<p>Ten years of daily water temperature (°C, at 0.5&nbsp;m depth) and water level (cm) of Lantern Pond, ` +
					`a pond that does not exist. The numbers come from a small seeded simulation.</p>` +
					`<p><b>What is new:</b> in the first version the imagined sensor repeated one value from 8 to 14 July 2019. ` +
					`Those seven temperatures are now left empty and marked; see CHANGES.md.</p>` +
					`<p><em>Synthetic data, made for demonstration. Please do not use them to say anything about ponds.</em></p>`,
				Removes: []string{"pond-temperature.csv"},
				Files: []File{
					{Name: "pond-temperature-corrected.csv", Data: pondSecond},
					{Name: "CHANGES.md", Data: fixed("pond-changes.md")},
				},
			},
		},
		{
			Title: "Lantern Pond in 2024, month by month in folders (simulated)",
			Description: `<p>The last year of the simulated Lantern Pond, cut into twelve files in four folders. ` +
				`<code>manifest.json</code> lists them with their SHA-256 checksums; the empty file <code>_SUCCESS</code> says that the set is complete, ` +
				`as some data pipelines do.</p><p><em>Synthetic data, made for demonstration of folders and of an empty file.</em></p>`,
			Tags:        []string{"water temperature", "folders", "checksums", "synthetic data"},
			CategoryIDs: []int64{3707, 4605},
			DefinedType: "dataset",
			LicenseID:   2,
			Authors:     []string{"Marigold Exemplar", "Søren Papirhav"},
			Files:       pondMonths(),
			Publish:     true,
		},
		{
			Title: "Ten years of Lantern Pond in one line (chart of simulated data)",
			Description: `<p>Water temperature of the simulated Lantern Pond, 2015 to 2024. Horizontal: years; vertical: 0 to 25&nbsp;°C. ` +
				`The thin line is the day, the thick line the mean of 31 days around it.</p>` +
				`<p><em>A figure drawn by a program from synthetic data, made for demonstration.</em></p>`,
			Tags:        []string{"chart", "water temperature", "synthetic data"},
			CategoryIDs: []int64{370704, 490508},
			DefinedType: "figure",
			LicenseID:   1,
			Authors:     []string{"Zoë Ångström-Çelik"},
			Files:       []File{{Name: "pond-ten-years.png", Data: pondChart}},
			Publish:     true,
		},
		{
			Title:       "Frog calls at Lantern Pond, unfinished",
			Description: `<p>A draft for demonstration: it has no categories and no finished text yet, and only its owner sees it. The counts are invented.</p>`,
			Tags:        []string{"frogs", "draft"},
			DefinedType: "dataset",
			LicenseID:   1,
			Authors:     []string{"Łucja Żabińska"},
			Files: []File{{Name: "frog-calls.csv", Data: text(
				"evening,calls_per_hour\n2024-04-20,12\n2024-04-21,31\n2024-04-22,0\n2024-04-23,27\n")}},
			Owner: 1,
		},
	}
}

// pondTools are the programs and the plan around the pond's data.
func pondTools() []Item {
	return []Item{
		{
			Title: "Three small readers for the pond table: Go, Python and R",
			Description: `<p>The same short program three times: it reads the CSV file of Lantern Pond, leaves out days without a temperature ` +
				`and prints the mean of every year. Each needs nothing but its language's own library.</p>` +
				`<pre>go run readpond.go pond-temperature-corrected.csv
python3 readpond.py pond-temperature-corrected.csv
Rscript readpond.R pond-temperature-corrected.csv</pre><p><em>Written for demonstration of source files in folders.</em></p>`,
			Tags:        []string{"csv", "go", "python", "r"},
			References:  []string{"https://go.dev/", "https://www.python.org/", "https://www.r-project.org/"},
			CategoryIDs: []int64{461204, 4612},
			DefinedType: "software",
			LicenseID:   3,
			Authors:     []string{"Tobias Nullstein", "Fenella Inkwell"},
			Files: []File{
				{Name: "readpond.go", FolderPath: "src/go", Data: fixed("readpond.go.txt")},
				{Name: "readpond.py", FolderPath: "src/python", Data: fixed("readpond.py")},
				{Name: "readpond.R", FolderPath: "src/r", Data: fixed("readpond.R")},
			},
			Publish: true,
		},
		{
			Title: "From daily readings to monthly means: a workflow in one Makefile",
			Description: `<p>Two steps that turn the pond's table into monthly means, described so that <code>make</code> runs only what is out of date. ` +
				`Put <code>pond-temperature-corrected.csv</code> beside the Makefile and type <code>make</code>.</p>` +
				`<p><em>Written for demonstration.</em></p>`,
			Tags:        []string{"workflow", "make", "python"},
			CategoryIDs: []int64{4605, 461299},
			DefinedType: "workflow",
			LicenseID:   6,
			Authors:     []string{"Fenella Inkwell"},
			Files: []File{
				{Name: "Makefile", Data: fixed("workflow.mk")},
				{Name: "monthly.py", FolderPath: "steps", Data: fixed("monthly.py")},
			},
			Owner:   1,
			Publish: true,
		},
		{
			Title: "Data management plan of the imagined Lantern Pond project",
			Description: `<p>What a short data management plan can look like: what is made, where it is kept, who may see it, and what happens to it afterwards. ` +
				`It follows the idea that data should be findable, accessible, interoperable and reusable.</p>` +
				`<p><em>The project is invented; the plan was written for demonstration.</em></p>`,
			Tags:         []string{"data management plan", "FAIR", "template"},
			References:   []string{"https://doi.org/10.1038/sdata.2016.18"},
			CategoryIDs:  []int64{461001, 461007},
			DefinedType:  "data management plan",
			LicenseID:    1,
			Authors:      []string{"Marigold Exemplar"},
			Funding:      "Imaginary Fund for Small Waters, grant DEMO-0001",
			CustomFields: []Field{{"Plan version", "1.0"}, {"Review date", "2026-01-31"}},
			Files:        []File{{Name: "data-management-plan.md", Data: fixed("plan.md")}},
			Publish:      true,
		},
	}
}
