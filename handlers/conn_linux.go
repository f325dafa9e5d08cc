package handlers

import (
	"fmt"
	"syscall"
)

// sendsPieces says that the system sends parts of a file that others may read as well.
const sendsPieces = true

// pieceSender sends what a connection holds back and a part of a file behind it. It is a part of
// the connection, so that a request needs no memory for it.
type pieceSender struct {
	raw  syscall.RawConn // nil until it is needed
	send func(fd uintptr) bool

	head []byte // what is still to be sent of it
	from *piece
	sent int64 // of the file
	err  error
}

// sendPiece sends what is held back, and as much of a part of a file as the system takes without
// anybody waiting for the client: who has something in his hands that was checked may not want to
// wait with it. Only what was held back is waited for.
func (c *conn) sendPiece(p *piece) (int64, error) {
	s := &c.sender
	if s.raw == nil {
		raw, err := c.SyscallConn()
		if err != nil {
			return 0, fmt.Errorf("cannot send: %w", err)
		}
		s.raw, s.send = raw, s.once
	}
	head := c.head
	c.head, c.due = nil, 0
	s.head, s.from, s.sent, s.err = head, p, 0, nil
	err := c.sendOnce()
	if err == nil && len(s.head) > 0 {
		_, err = c.write(s.head)
	}
	s.head, s.from = nil, nil
	if head != nil {
		heads.Put(&head)
	}
	return s.sent, err
}

func (c *conn) sendOnce() error {
	for {
		if err := c.writes.begin(); err != nil {
			return err
		}
		err := c.sender.raw.Write(c.sender.send)
		if again := c.writes.end(err); !again && err != nil {
			return fmt.Errorf("cannot send: %w", err)
		} else if !again {
			return c.sender.err
		}
	}
}

// once sends until the system takes no more. It is told that more follows a head, so that both
// leave in one piece.
func (s *pieceSender) once(fd uintptr) (done bool) {
	for len(s.head) > 0 && s.err == nil {
		n, err := syscall.SendmsgN(int(fd), s.head, nil, nil, syscall.MSG_MORE|syscall.MSG_NOSIGNAL)
		s.head = s.head[max(n, 0):]
		if err == syscall.EAGAIN {
			return true
		}
		s.failed(err)
	}
	for s.from.at < s.from.to && s.err == nil {
		n, err := syscall.Sendfile(int(fd), int(s.from.file.Fd()), &s.from.at, int(s.from.to-s.from.at))
		if err == syscall.EAGAIN || n == 0 && err == nil { // the file has become shorter
			return true
		}
		s.sent += int64(max(n, 0))
		s.failed(err)
	}
	return true
}

func (s *pieceSender) failed(err error) {
	if err != nil && err != syscall.EINTR {
		s.err = err
	}
}
