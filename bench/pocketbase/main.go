// Command pocketbase is PocketBase with the items of the benchmark in it:
//
//	pocketbase serve --dir DIR --http LISTEN
//
// The first start takes them from the file items.jsonl beside DIR. They are public, and indexed
// by their date.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

// limit is how many items are taken, so that filling it does not take longer than the rest. The
// cost of a page does not grow with them when PocketBase does not count.
const limit = 20000

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{HideStartBanner: true})
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		if _, err := e.App.FindCollectionByNameOrId("items"); err != nil {
			if err := e.App.RunInTransaction(fill); err != nil {
				return fmt.Errorf("cannot take the items: %w", err)
			}
		}
		return e.Next()
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

func fill(app core.App) error {
	f, err := os.Open(filepath.Join(app.DataDir(), "..", "items.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	c := core.NewBaseCollection("items")
	c.ListRule, c.ViewRule = types.Pointer(""), types.Pointer("")
	c.Fields.Add(
		&core.TextField{Name: "title"}, &core.TextField{Name: "doi"}, &core.TextField{Name: "url"},
		&core.TextField{Name: "type"}, &core.TextField{Name: "description", Max: 100000}, &core.NumberField{Name: "published"})
	c.AddIndex("items_published", false, "published DESC", "")
	if err := app.Save(c); err != nil {
		return err
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan() && n < limit; n++ {
		var item struct{ Title, Description, Defined_type string }
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return err
		}
		r := core.NewRecord(c)
		r.Set("title", item.Title)
		r.Set("description", item.Description)
		r.Set("type", item.Defined_type)
		r.Set("doi", fmt.Sprintf("10.5072/bench/%d.v1", n))
		r.Set("url", fmt.Sprintf("https://repository.example.org/v2/articles/%d", n))
		r.Set("published", n)
		if err := app.SaveNoValidate(r); err != nil {
			return err
		}
	}
	return lines.Err()
}
