package samples

import (
	"bytes"
	"fmt"
	"strings"
)

func languages() []Item {
	return []Item{
		{
			Title: "架空の池の水位観測日誌 2024年（実演用の合成データ）",
			Description: `<p>存在しない池の水位（cm）を一日一行で記した表です。数値は乱数の種を固定した簡単な計算で作ったもので、実際の観測ではありません。` +
				`ファイル名も日本語です。</p><p><em>Synthetic data, made for demonstration: a diary of water levels with a title, text and file names in Japanese.</em></p>`,
			Tags:        []string{"水位", "合成データ", "日本語"},
			CategoryIDs: []int64{370704},
			DefinedType: "dataset",
			LicenseID:   1,
			Authors:     []string{"山田 架空"},
			Files: []File{
				{Name: "観測日誌_2024年.csv", Data: diary},
				{Name: "お読みください.txt", FolderPath: "説明", Data: text("存在しない池の水位です。実演のために計算で作りました。\n単位：cm\n")},
			},
			Publish: true,
		},
		{
			Title: "Débit de l'Éphémère : mesures imaginées à Saint-Élagué",
			Description: `<p>Le débit (m³/s) d'un ruisseau qui n'existe pas, heure par heure pendant une journée d'orage, dans un même tableau écrit deux fois : ` +
				`en UTF-8 et en ISO-8859-1, avec la virgule décimale et le point-virgule comme séparateur.</p>` +
				`<p><em>Synthetic data, made for demonstration: French text, decimal commas, and one file that is not UTF-8.</em></p>`,
			Tags:         []string{"débit", "ruisseau", "données synthétiques"},
			CategoryIDs:  []int64{370704, 410504},
			DefinedType:  "dataset",
			LicenseID:    1,
			Authors:      []string{"Séraphine Buvard", "Zoë Ångström-Çelik"},
			CustomFields: []Field{{"Unité", "m³/s"}, {"Encodage", "UTF-8 ; ISO-8859-1"}},
			Files: []File{
				{Name: "débit_Éphémère.csv", Data: func() ([]byte, error) { return []byte(storm()), nil }},
				{Name: "débit_Éphémère_latin1.csv", Data: func() ([]byte, error) { return latin1(storm()), nil }},
			},
			Owner:   1,
			Publish: true,
		},
		{
			Title: "Hello in twenty-four languages · שלום · مرحبا · 你好",
			Description: `<p>A greeting in 24 languages and 14 scripts, with the language's code (ISO 639-1), to see whether a program shows them all, ` +
				`two of the scripts from right to left.</p><p><em>Put together for demonstration.</em></p>`,
			Tags:        []string{"Unicode", "greetings", "scripts", "γλώσσες"},
			CategoryIDs: []int64{470403, 4704},
			DefinedType: "dataset",
			LicenseID:   2,
			Authors: []string{
				"Marigold Exemplar", "Tobias Nullstein", "Zoë Ångström-Çelik", "Łucja Żabińska", "山田 架空",
				"Nguyễn Hư Cấu", "Søren Papirhav", "Séraphine Buvard", "Fenella Inkwell", "Ipsum Loremsen",
			},
			Files:   []File{{Name: "greetings.tsv", Data: fixed("greetings.tsv")}},
			Publish: true,
		},
	}
}

// diary is the level of the last simulated year under Japanese headings.
func diary() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("日付,水位（cm）\n")
	for _, r := range pond() {
		if r.day.Year() == 2024 {
			fmt.Fprintf(&out, "%s,%.1f\n", r.day.Format("2006年1月2日"), r.level)
		}
	}
	return out.Bytes(), nil
}

// storm is a day of a stream: a flood that comes at four in the afternoon and
// falls by a quarter an hour, written as a French spreadsheet would.
func storm() string {
	d := roll(7)
	var out strings.Builder
	out.WriteString("heure;débit (m³/s);remarque\n")
	flood := 0.0
	for hour := range 24 {
		note := ""
		if hour == 16 {
			flood, note = 3.8, "début de la crue"
		}
		value := fmt.Sprintf("%.2f", 0.42+flood+0.03*d.bell())
		fmt.Fprintf(&out, "%02d h;%s;%s\n", hour, strings.ReplaceAll(value, ".", ","), note)
		flood *= 0.75
	}
	return out.String()
}

// latin1 returns s in ISO-8859-1, whose 256 characters are the first of Unicode.
// s holds no others.
func latin1(s string) []byte {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return out
}
