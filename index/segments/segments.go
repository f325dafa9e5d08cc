// Package segments answers queries from the segments of a Bleve index, and verifies their
// files. It is the only package that looks below Bleve's public interface, for these reasons:
//
//   - A page asks which of the items that a list comes to match, in the order of the list.
//     Bleve's searchers only go forward, in the order of their documents, so that each part
//     of a list would be a search of its own.
//   - The hits of a common word are a third of all items. Bleve has them as bitmaps, which
//     are joined as they are; a searcher gives them one by one.
//   - Bleve's phrase searcher takes time in the square of how often a word is repeated in a
//     text, so a text could be written that stops searches.
//   - Bleve writes the checksum of a segment and never reads it, and believes the lengths in
//     a damaged one.
//
// The parts that it touches of bleve/v2/index/scorch, scorch_segment_api and zapx, which the test of
// this package holds Bleve to:
//
//   - a reader of scorch is an *IndexSnapshot; AddRef and Close count its uses
//   - IndexSnapshot.Segments gives SegmentSnapshots, of which Segment and Deleted are used;
//     a document of a segment that is not in Deleted is a document of the index, and no
//     other segment has one of the same id
//   - Segment.Dictionary of a field gives a TermDictionary, an empty one where the segment
//     does not have the field; AutomatonIterator goes through its terms between two bounds
//     when the automaton is nil
//   - TermDictionary.PostingsList gives the documents of a term, deleted ones included;
//     its iterator is an OptimizablePostingsIterator, whose ActualBitmap holds all of them
//     unless DocNum1Hit tells the only one
//   - an iterator that was asked for locations advances and gives positions
//   - the field _id has the ids of documents as terms, and DocID tells the id of a document
//   - a segment on the disk has a Path, and its file ends with the CRC-32 (IEEE, big endian)
//     of all bytes before
//
// Nothing is kept from one search to the next but Columns.
package segments
