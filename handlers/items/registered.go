package items

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/handlers/present"
	"alcove/record"
)

// Leads reports whether a DOI leads to the item here that has it: a registrar has confirmed it, and its prefix is not
// the one that is reserved for tests. Until then citations name the page of the item.
func (s *Service) Leads(tx bucket.Reader, doi string) present.Leads {
	if doi == "" || record.ForTests(doi) {
		return false
	}
	return present.Leads(exchange.DOIRegistered(tx, doi))
}

// LeadsIn is Leads in a transaction.
func (s *Service) LeadsIn(tx bucket.Reader) func(doi string) bool {
	return func(doi string) bool { return bool(s.Leads(tx, doi)) }
}

// CiteAgain renders the public versions of an item again whose DOI a registrar has confirmed, or has lost: a version, or
// for version 0 those that have the DOI of the item. Harvesters get the item again.
func (s *Service) CiteAgain(tx *bucket.Tx, kind, id int64, version int) error {
	if kind == record.KindCollection {
		of := publicCollections(s)
		return of.citeAgain(tx, id, version)
	}
	of := publicArticles(s)
	return of.citeAgain(tx, id, version)
}

func (p *public[V, H]) citeAgain(tx *bucket.Tx, id int64, version int) error {
	facts, isPublic := p.docs.latest(tx, id)
	if !isPublic {
		return nil
	}
	first, last := int64(version), int64(version)
	if version == 0 {
		first, last = 1, facts.Version
	}
	for n := first; n <= last; n++ {
		v, err := p.docs.get(tx, bucket.Pair{A: id, B: n})
		if errors.Is(err, bucket.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		m, latest := p.docs.about(v).meta, n == facts.Version
		if whole := record.BareDOI(m.PublicDOI(int(n))) == record.BareDOI(m.DOI); whole == (version == 0) {
			if err := p.docs.store(tx, v); err != nil {
				return err
			}
		}
		if !latest {
			continue
		}
		head, err := p.heads.Get(tx, id)
		if err != nil {
			return err
		}
		if err := p.heads.Put(tx, id, p.head(v, head, tx.Now())); err != nil {
			return err
		}
	}
	return nil
}
