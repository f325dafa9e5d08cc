package cli

import (
	"fmt"
	"net"
	"os"
)

// Version is the version of a release, set by the linker.
var Version string

// notify tells the service manager a state, such as READY=1, where it has asked for that
// (sd_notify(3)): in NOTIFY_SOCKET it gives the path of a datagram socket, or a name that begins
// with @. Elsewhere it does nothing.
func notify(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("cannot tell the service manager: %w", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(state)); err != nil {
		return fmt.Errorf("cannot tell the service manager: %w", err)
	}
	return nil
}
