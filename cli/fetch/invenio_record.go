package fetch

// rdmRecord is a version of an item as InvenioRDM shows it.
type rdmRecord struct {
	ID      string `json:"id"`
	Created string `json:"created"`
	Updated string `json:"updated"`
	Parent  struct {
		ID   string  `json:"id"`
		PIDs rdmPIDs `json:"pids"`
	} `json:"parent"`
	PIDs   rdmPIDs `json:"pids"`
	Access struct {
		Record  string `json:"record"`
		Files   string `json:"files"`
		Embargo struct {
			Active bool   `json:"active"`
			Until  string `json:"until"`
			Reason string `json:"reason"`
		} `json:"embargo"`
	} `json:"access"`
	Files struct {
		Enabled bool `json:"enabled"`
	} `json:"files"`
	Versions struct {
		Index int64 `json:"index"`
	} `json:"versions"`
	Metadata rdmMetadata `json:"metadata"`
}

type rdmPIDs struct {
	DOI struct {
		Identifier string `json:"identifier"`
	} `json:"doi"`
}

type rdmMetadata struct {
	Title        string        `json:"title"`
	MoreTitles   []rdmText     `json:"additional_titles"`
	Description  string        `json:"description"`
	MoreText     []rdmText     `json:"additional_descriptions"`
	Type         rdmWord       `json:"resource_type"`
	Creators     []rdmCreator  `json:"creators"`
	Contributors []rdmCreator  `json:"contributors"`
	Date         string        `json:"publication_date"`
	Publisher    string        `json:"publisher"`
	Version      string        `json:"version"`
	Subjects     []rdmWord     `json:"subjects"`
	Languages    []rdmWord     `json:"languages"`
	Rights       []rdmWord     `json:"rights"`
	Identifiers  []rdmIdentity `json:"identifiers"`
	Related      []struct {
		rdmIdentity
		Relation rdmWord `json:"relation_type"`
	} `json:"related_identifiers"`
	References []rdmText `json:"references"`
	Funding    []struct {
		Funder rdmWord `json:"funder"`
		Award  struct {
			rdmWord
			Number string `json:"number"`
		} `json:"award"`
	} `json:"funding"`
}

type (
	rdmText struct {
		Title       string  `json:"title"`
		Description string  `json:"description"`
		Reference   string  `json:"reference"`
		Type        rdmWord `json:"type"`
	}
	// rdmWord is an entry of a vocabulary.
	rdmWord struct {
		ID      string            `json:"id"`
		Title   map[string]string `json:"title"`
		Name    string            `json:"name"`
		Subject string            `json:"subject"`
		Link    string            `json:"link"`
		Props   map[string]any    `json:"props"`
	}
	rdmIdentity struct {
		Identifier string `json:"identifier"`
		Scheme     string `json:"scheme"`
	}
	rdmCreator struct {
		Who struct {
			Type        string        `json:"type"`
			Name        string        `json:"name"`
			Given       string        `json:"given_name"`
			Family      string        `json:"family_name"`
			Identifiers []rdmIdentity `json:"identifiers"`
		} `json:"person_or_org"`
		Role         rdmWord   `json:"role"`
		Affiliations []rdmWord `json:"affiliations"`
	}
)

// text is an entry of a vocabulary for people.
func (w rdmWord) text() string {
	for _, s := range []string{w.Title["en"], w.Name, w.Subject, w.ID} {
		if s != "" {
			return s
		}
	}
	return ""
}
