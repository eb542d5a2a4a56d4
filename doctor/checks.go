// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import "slices"

// Check is one thing that is looked for.
type Check struct {
	ID       string // stable, kebab-case
	Severity string // of its findings
	Summary  string // what a finding means
	Remedy   string // what to do, in general
}

// The identifiers of the checks.
const (
	hardwareOffload   = "hardware-offload"
	clockBroken       = "clock-broken"
	configErrors      = "config-errors"
	twoSections       = "two-sections"
	foreignShaper     = "foreign-shaper"
	shaperConflict    = "shaper-conflict"
	moduleMissing     = "module-missing"
	notShaped         = "not-shaped"
	otherManager      = "other-manager"
	rateAboveLink     = "rate-above-link"
	noOverhead        = "no-overhead"
	directionsSwapped = "directions-swapped"
	superPackets      = "super-packets"
	deviceName        = "device-name"
	featureMissing    = "feature-missing"
	softwareOffload   = "software-offload"
	outsideRate       = "outside-rate"
	rateTool          = "rate-tool"
	deviceWaiting     = "device-waiting"
	stoppedByHand     = "stopped-by-hand"
	nothingEnabled    = "nothing-enabled"
	clockSteps        = "clock-steps"
	lostEvents        = "lost-events"
)

// checks is ordered as findings are: worst first.
var checks = []Check{
	{hardwareOffload, Error, "Hardware flow offload is on. Packets of offloaded connections pass the network chip only, never a qdisc: they are neither shaped nor sorted.",
		"Switch it off: `uci set firewall.@defaults[0].flow_offloading_hw='0'`, `uci commit firewall`, `/etc/init.d/firewall restart`."},
	{clockBroken, Error, "The program's clock stands still or jumps. On 32-bit MIPS that is a kernel without CONFIG_COMPAT_32BIT_TIME. Nothing that waits or measures works.",
		"Use a kernel with CONFIG_COMPAT_32BIT_TIME; the OpenWrt releases have it."},
	{configErrors, Error, "The configuration has errors. A queue that has one is not configured; what was there before stays.",
		"Run `sqmd check` and mend what it names."},
	{twoSections, Error, "Two enabled sections shape the same direction of one device. Only the first counts.",
		"Disable or remove one of them."},
	{foreignShaper, Error, "Something else already leads what arrives on the device elsewhere, or has taken the name of the IFB. sqmd does not fight over packets and leaves the queue alone.",
		"Stop the other shaper."},
	{shaperConflict, Error, "Another program keeps changing what sqmd put in place, so that sqmd has stopped repairing it.",
		"Find and stop the other program, then run `sqmd apply`."},
	{moduleMissing, Error, "The kernel lacks a piece that the queue needs.",
		"Install the package that the finding names."},
	{notShaped, Error, "A direction that is configured is not shaped, for a reason that no other finding explains.",
		"Run `sqmd apply` and read what it says."},
	{otherManager, Warning, "Another traffic shaper is enabled for the same device. Each replaces what the other set up.",
		"Disable it: `/etc/init.d/NAME disable` and `/etc/init.d/NAME stop`."},
	{rateAboveLink, Warning, "The rate is above the speed that the device has negotiated. The queue then builds up in the device, where nothing manages it.",
		"Look for a bad cable or port, or set the rate to at most 95 % of the speed."},
	{noOverhead, Warning, "The link layer is `none` on a PPPoE, PPPoA or DSL device. What the line adds to each packet is not counted, and small packets overfill the line.",
		"Set `link_preset` to what the line is."},
	{directionsSwapped, Warning, "A LAN bridge or one of its ports is shaped with more download than upload. There, what arrives on the device is what the people behind it send, so that the rates are most likely the wrong way round.",
		"Shape the device of the internet connection, or swap the two rates."},
	{superPackets, Warning, "htb runs below 10 Mbit/s on a device that joins packets into super-packets. htb sends them whole, and everything else waits that long.",
		"Use `qdisc 'cake'`, which splits them."},
	{deviceName, Warning, "The device of a queue does not exist, and another one looks like what was meant.",
		"Set `interface` to the device that the finding names, if it is the one."},
	{featureMissing, Warning, "The kernel lacks a piece that the queue asks for and can do without: `cake_mq` for `use_mq`, `act_pedit` for clearing DSCP with simple.qos.",
		"Install the package that the finding names, then run `sqmd stop` and `sqmd apply`; or switch the option off."},
	{softwareOffload, Note, "Software flow offload is on. Both directions are still shaped: arriving packets reach the IFB before it, leaving ones the qdisc after it. But DSCP that firewall rules set reaches only the first packets of a connection, and download gains nothing from it. In some releases it leaves PPPoE out.",
		"Nothing for plain shaping. Switch it off if firewall rules set DSCP for the upload: `uci set firewall.@defaults[0].flow_offloading='0'`."},
	{outsideRate, Note, "Another program has set another rate than the configuration. It is respected until the configuration changes.",
		"Nothing if a rate controller runs; otherwise run `sqmd apply`."},
	{rateTool, Note, "A rate controller is enabled. sqmd respects the rates it sets.",
		"Nothing if that is wanted; otherwise disable it: `/etc/init.d/NAME disable` and `/etc/init.d/NAME stop`."},
	{deviceWaiting, Note, "The device of a queue does not exist now. It is shaped as soon as it appears.",
		"Nothing if the connection is down; otherwise check `interface`."},
	{stoppedByHand, Note, "The queue was stopped by hand.",
		"Run `sqmd apply` to shape it again."},
	{nothingEnabled, Note, "No queue is enabled, so that nothing is shaped.",
		"Set `enabled '1'` in a queue of `/etc/config/sqm`."},
	{clockSteps, Note, "The wall clock has jumped more than once. Shaping does not use it, but times in logs and charts are off.",
		"Check the time servers in `/etc/config/system`."},
	{lostEvents, Note, "The kernel dropped notifications, because more came than could be read. Everything was read anew, so that nothing is missed.",
		"Look in the system log for a service or connection that restarts all the time."},
}

// Checks gives all that is looked for, in the order of findings.
func Checks() []Check { return slices.Clone(checks) }

// rank is the place of a check. An id that is none would be a mistake in this
// package, which the tests find.
func rank(id string) int {
	return slices.IndexFunc(checks, func(c Check) bool { return c.ID == id })
}
