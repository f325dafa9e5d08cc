// Package catalogue holds the fixed vocabularies that items are described with:
// the categories (fields of research), the licences and the item types. All of
// it is compiled into the program; nothing is read from or kept on disk, and
// nothing changes while the program runs, so every function here may be called
// from any number of goroutines.
//
// The categories live in anzsrc2020.txt, which the program in gen writes from
// the table of the classification:
//
//	# comment lines with the source and its licence
//	30<TAB>title of a division       two digits, no parent
//	3001<TAB>title of a group        four digits, parent is 30
//	300101<TAB>title of a field      six digits, parent is 3001
//
// The lines are sorted as text, which is the order of the tree read from the
// top: each code comes right after its parent and before its parent's next
// sibling.
package catalogue

//go:generate go run ./gen $ANZSRC_TABLE anzsrc2020.txt
