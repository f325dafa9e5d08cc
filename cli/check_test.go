package cli

import (
	"errors"
	"testing"

	"alcove/check"
	"alcove/cli/command"
)

// A script that asks for the exit status learns that all is whole only when all was looked at.
func TestToldCheck(t *testing.T) {
	for _, tt := range []struct {
		name          string
		report        check.Report
		toEnd, failed bool
		notChecked    bool
	}{
		{"whole", check.Report{State: check.Done}, true, false, false},
		{"damaged", check.Report{State: check.Done, Found: 1}, true, true, false},
		{"repaired", check.Report{State: check.Done, Found: 1, Repaired: 1}, true, false, false},
		{"stopped", check.Report{State: check.Stopped}, true, true, true},
		{"busy", check.Report{State: check.Done, Busy: true}, true, true, true},
		{"busy and damaged", check.Report{State: check.Done, Busy: true, Found: 1}, true, true, false},
		{"the status of one that runs", check.Report{State: check.Running}, false, false, false},
		{"the status of a busy one", check.Report{State: check.Done, Busy: true}, false, false, false},
	} {
		err := toldCheck(tt.report, true, tt.toEnd)
		if (err != nil) != tt.failed || errors.Is(err, command.ErrNotChecked) != tt.notChecked {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
