// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import "errors"

// ErrLost is what Receive of a [Source] returns when the kernel has dropped
// notifications, or one could not be understood.
var ErrLost = errors.New("notifications were lost")

// Source is one subscription to notifications. All but Close is called from one
// goroutine.
type Source interface {
	// Receive waits for notifications; none is an answer too. After ErrLost the
	// source is still usable: the queue is empty, and what happens from then on is
	// notified again. After any other error it is dead.
	Receive() ([]Message, error)
	// Links reads all links from the kernel. A failure counts as the source's death.
	Links() ([]Link, error)
	// Close ends the subscription and unblocks Receive and Links, which then fail.
	// It may be called from any goroutine, and again.
	Close() error
}

// speedometer is a [Source] whose links come without their speed, which costs a
// question to the driver of each. SpeedMbit of other sources' links is used as it
// comes.
type speedometer interface {
	// Speed is the speed of the named link in Mbit/s, 0 when unknown.
	Speed(name string) int
}

// Message is one decoded notification.
type Message struct {
	// Kind is LinkChanged (for a new link too), LinkGone, AddressChanged or
	// TCChanged.
	Kind Kind
	Link Link // of LinkChanged; of LinkGone only Index counts
	TC   TC   // of TCChanged
	// Ifindex is the link of AddressChanged and TCChanged.
	Ifindex int
}
