package site

import (
	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// Project is the page of a public project, at /projects/{title}/{id}.
func (s *Site) Project(c *endpoint.Call) (endpoint.Reply, error) {
	return s.landing(c, record.KindProject, s.project)
}

func (s *Site) project(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	answer, err := s.api.PublicProjectRead(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	from := answer.Body.(present.ProjectComplete)
	page := s.Local(Text(from.FigshareURL))
	if r, elsewhere := s.led(c, page); elsewhere {
		return r, nil
	}
	var doc present.ArticleComplete
	doc.ID, doc.Title, doc.Description, doc.PublishedDate, doc.Modified = from.ID, from.Title, from.Description, from.PublishedDate, from.ModifiedDate
	doc.Funding, doc.FundingList, doc.CustomFields = from.Funding, from.FundingList, from.CustomFields
	v := s.begin(c, &doc)
	v.Kind, v.API = v.ProjectKind, s.api.Settings.API("/projects/%d", doc.ID)
	for _, p := range from.Collaborators {
		v.People = append(v.People, Link{Text: p.Name})
	}
	err = s.members(c, tx, v, page, func(query string) (endpoint.Reply, error) { return s.api.PublicProjectArticles(c.Asking(query), tx) })
	if err != nil {
		return endpoint.Reply{}, err
	}
	return s.shown(c, v, page, answer)
}
