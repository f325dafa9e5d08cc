package bucket

import "alcove/record"

// Reports has the tables of articles that accounts asked for; the key is account id and report id.
var Reports = &Table[Pair, record.Report]{name: "reports", codec: pairKeys}
