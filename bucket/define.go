package bucket

import (
	"reflect"
	"slices"

	"alcove/bucket/damage"
)

// Schema is what a repository keeps.
type Schema struct {
	Tables []*AnyTable // in the order in which they are prepared and checked
	// Derived are more tables, which Derive makes of the others; they are empty when it is called. Indexes of
	// the others may ask for what they hold, so they are prepared first.
	Derived   []*AnyTable
	Derive    func(*Tx) error
	Documents []*Docs
	// References tells a check what a record names.
	References func(r any, names *Names)
}

// schema is that of the program.
var schema struct {
	Schema
	tables []*AnyTable     // all of them
	public map[string]bool // the names of those that everyone may read
	secret map[string]bool // the buckets whose keys are not to be told
}

// made are the names of the tables that the program has.
var made []string

// Define says what the repositories of the program keep. It is called once, before the first is opened.
func Define(s Schema) {
	schema.Schema, schema.tables = s, slices.Concat(s.Derived, s.Tables, []*AnyTable{ClockStates.Any})
	for _, name := range made {
		if tableNamed(name) == nil {
			panic("the table " + name + " is not in the schema")
		}
	}
	schema.public, schema.secret = map[string]bool{}, map[string]bool{}
	damage.Secret = func(bucket string) bool { return schema.secret[bucket] }
	for _, t := range schema.tables {
		t.nameBucket()
		schema.public[t.Name()] = t.everyones()
		for _, bucket := range t.secretBuckets() {
			schema.secret[bucket] = true
		}
	}
}

// tableNamed is the table of a name, nil for none.
func tableNamed(name string) *AnyTable {
	for _, t := range schema.tables {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

// ByID is a table whose keys are ids.
func ByID[R any](name string) *Table[int64, R] { return makeTable[int64, R](name, intKeys) }

// ByName is a table whose keys are texts.
func ByName[R any](name string) *Table[string, R] { return makeTable[string, R](name, nameKeys) }

// ByPair is a table of records that belong to others.
func ByPair[R any](name string) *Table[Pair, R] { return makeTable[Pair, R](name, pairKeys) }

func makeTable[K, R any](name string, keys codec[K]) *Table[K, R] {
	made = append(made, name)
	return newTable[K, R](name, keys)
}

func newTable[K, R any](name string, keys codec[K]) *Table[K, R] {
	return &Table[K, R]{codec: keys, Any: &AnyTable{
		name:    name,
		records: reflect.TypeFor[R](),
		fresh:   func() any { return new(R) },
		clone: func(r any) any {
			one := *r.(*R)
			return &one
		},
	}}
}

// Unlogged keeps a table out of the change log: it has the state of transfers, say, not of the repository.
func (t *Table[K, R]) Unlogged() *Table[K, R] {
	t.Any.quiet = true
	return t
}

// Flat says that the records of a table hold no slice, map or pointer: who copies one has all of it.
func (t *Table[K, R]) Flat() *Table[K, R] {
	t.Any.flat = true
	return t
}

// Secret says that the keys of a table open something, so that no finding tells them.
func (t *Table[K, R]) Secret() *Table[K, R] {
	t.Any.secret = true
	return t
}

// Secret says that the sort keys of an index open something, or are mail addresses.
func (ix *Index[K]) Secret() *Index[K] {
	ix.secret = true
	return ix
}

// Public is a table that everyone may read.
func Public[K, R any](t *Table[K, R]) *PublicTable[K, R] {
	t.Any.public = true
	return &PublicTable[K, R]{*t}
}

// Name is the name of the table.
func (t *AnyTable) Name() string { return t.name }

func (t *AnyTable) everyones() bool { return t.public }

// secretBuckets are the buckets of the table and its indexes whose keys are not to be told: those of indexes end with
// the key of the record.
func (t *AnyTable) secretBuckets() (buckets []string) {
	if t.secret {
		buckets = append(buckets, t.bucketName())
	}
	for _, ix := range t.indexes {
		if t.secret || ix.secret {
			buckets = append(buckets, ix.bucketName())
		}
	}
	return buckets
}
