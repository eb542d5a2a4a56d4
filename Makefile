# SPDX-License-Identifier: GPL-2.0-or-later

# Cases for the conformance test: what sqm-scripts makes of real and hostile configurations.
ORACLE ?= lab/conformance/oracle
# A number of inputs, not a time: what is tested is the same on every machine.
FUZZTIME ?= 10000x
export CGO_ENABLED ?= 0

# Packages with tests that need a kernel of their own.
LAB = $(shell git grep -l '^//go:build lab' -- '*.go' | xargs -n1 dirname | sort -u | sed 's|^|./|')

# What makes up the daemon, and those of the command's tests in the lab that are about it.
DAEMON = ./watch ./daemon/... ./ubus ./control ./top ./doctor ./metrics ./lab/simkernel ./lab/ubusd
DAEMON_LAB = ^Test(Daemon|Soak|Idle)

.PHONY: help build demo check test test-full test-daemon test-packages test-mips test-luci luci-preview setup setup-check clean \
	lint unit race fuzz size lab lab-command lab-others scenarios conformance tc-suite mips-le mips packages foreign luci \
	sequences footprint show-demo

help:
	@echo 'make demo           what sqmd does for a full line, before and after: numbers, and a picture in out/demo.svg'
	@echo 'make build          out/sqmd for this machine'
	@echo 'make check          lint, unit tests, race detector, size: needs neither root nor a virtual machine'
	@echo 'make test           check, fuzzing, and all tests in virtual machines: kernel, packets, packages, MIPS'
	@echo 'make test-full      test, and what takes long or measures: both byte orders of MIPS, other processors, LuCI in a'
	@echo '                    browser, footprint. Measured figures are printed beside their budgets and do not fail'
	@echo 'make luci-preview   the pages of LuCI on localhost, with a virtual router behind them'
	@echo
	@echo 'Parts of the tests: make test-daemon, test-packages, test-mips, test-luci; or one by name:'
	@echo '  lint unit race fuzz size lab-command lab-others scenarios conformance tc-suite mips-le packages show-demo'
	@echo '  mips foreign luci sequences footprint'
	@echo 'Each command installs what it needs. scripts/lab --help runs single tests and commands in a virtual machine.'

build:
	scripts/build out/sqmd

setup:
	@scripts/setup
	@scripts/setup mips
	@scripts/lab-kernel uml le

setup-check:
	@scripts/setup check

demo:
	scripts/demo

# What takes all processors, one at a time.
check: setup-check
	scripts/parts 1 lint unit race size
	@echo "make check: all of it passed"

# Then what takes one processor, mostly, two at a time, the longest first.
test: setup check
	scripts/parts 1 fuzz
	scripts/parts 2 packages scenarios mips-le lab-command lab-others conformance tc-suite show-demo
	@echo "make test: all of it passed"

test-full: test
	scripts/parts 2 sequences mips luci foreign
	scripts/parts 1 footprint
	@echo "make test-full: all of it passed"

# Of that, what is about the daemon.
test-daemon: setup
	go test $(DAEMON)
	CGO_ENABLED=1 go test -race -short $(DAEMON)
	scripts/fuzz $(FUZZTIME) $(DAEMON)
	scripts/lab go-test ./watch
	scripts/lab go-test -run '$(DAEMON_LAB)' ./cmd/sqmd
	@echo "make test-daemon: all of it passed"

# What is about packages: as files, and installed on a router.
test-packages: setup
	go test ./release/... ./cmd/sqmrelease ./lab/openwrt/...
	$(MAKE) packages scenarios foreign
	@echo "make test-packages: all of it passed"

# What a router's own processor core makes of it.
test-mips: setup mips
	@echo "make test-mips: all of it passed"

# The pages in LuCI, in a browser.
test-luci: setup luci
	@echo "make test-luci: all of it passed"

luci-preview:
	scripts/luci-preview

lint:
	scripts/lint

unit:
	go test ./...

race:
	scripts/race

fuzz:
	scripts/fuzz $(FUZZTIME)

size:
	scripts/size

# Ten times as many random sequences of events as the unit tests have.
sequences:
	go test ./daemon -run '^TestRandomSequences$$' -sequences 10000

# Tests that need a kernel of their own run in a virtual machine.
lab: lab-command lab-others

lab-command:
	scripts/lab go-test ./cmd/sqmd

lab-others:
	scripts/lab go-test $(filter-out ./cmd/sqmd ./lab/openwrt/scenario,$(LAB))

# The package on a router: installed, upgraded, removed, after sqm-scripts.
scenarios:
	scripts/lab-packages
	scripts/lab go-test ./lab/openwrt/scenario

conformance:
	scripts/conformance $(ORACLE)

tc-suite:
	scripts/tc-suite

# The recorded configurations once more, on a little-endian MIPS core.
mips-le:
	scripts/conformance --guest uml,malta-le $(ORACLE) selection

# The demonstration holds its own figures against bars.
show-demo:
	scripts/demo

# Packages for all architectures, twice; the programs in them start.
packages:
	scripts/test-packages

# A MIPS core of both byte orders: configurations, packets, the package.
mips:
	scripts/test-mips

# The tests of what is on a router on other processors, by emulation.
foreign:
	scripts/test-foreign

luci:
	scripts/test-luci

# What sqmd takes of a router; writes docs/footprint.md.
footprint:
	scripts/footprint

clean:
	rm -rf out
