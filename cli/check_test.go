package cli

import (
	"errors"
	"testing"

	"alcove/handlers"
)

// A script that asks for the exit status learns that all is whole only when all was looked at.
func TestToldCheck(t *testing.T) {
	for _, tt := range []struct {
		name          string
		report        handlers.CheckReport
		toEnd, failed bool
		notChecked    bool
	}{
		{"whole", handlers.CheckReport{State: handlers.CheckDone}, true, false, false},
		{"damaged", handlers.CheckReport{State: handlers.CheckDone, Found: 1}, true, true, false},
		{"repaired", handlers.CheckReport{State: handlers.CheckDone, Found: 1, Repaired: 1}, true, false, false},
		{"stopped", handlers.CheckReport{State: handlers.CheckStopped}, true, true, true},
		{"busy", handlers.CheckReport{State: handlers.CheckDone, Busy: true}, true, true, true},
		{"busy and damaged", handlers.CheckReport{State: handlers.CheckDone, Busy: true, Found: 1}, true, true, false},
		{"the status of one that runs", handlers.CheckReport{State: handlers.CheckRunning}, false, false, false},
		{"the status of a busy one", handlers.CheckReport{State: handlers.CheckDone, Busy: true}, false, false, false},
	} {
		err := toldCheck(tt.report, true, tt.toEnd)
		if (err != nil) != tt.failed || errors.Is(err, errNotChecked) != tt.notChecked {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
