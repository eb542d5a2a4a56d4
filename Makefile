# SPDX-License-Identifier: GPL-2.0-or-later
# make demo   the main job on a virtual router, before and after
# make test   everything
# make test-daemon   of that, the daemon; likewise make test-packages, make test-mips
# make build  out/sqmd for this machine

# Cases for the conformance test: what sqm-scripts makes of real and hostile configurations.
ORACLE ?= lab/conformance/oracle
# A number of inputs, not a time: go test sometimes fails a target whose time is up.
FUZZTIME ?= 10000x
export CGO_ENABLED ?= 0

# What makes up the daemon, and those of its tests in the lab that are not a package's own.
DAEMON = ./watch ./daemon/... ./ubus ./control ./top ./doctor ./metrics ./lab/simkernel ./lab/ubusd
DAEMON_LAB = ^Test(Daemon|Soak|Idle)

.PHONY: build demo test test-daemon test-packages test-mips test-luci luci luci-preview unit race fuzz lint lab lab-others lab-command packages scenarios foreign mips \
	conformance tc-suite size setup clean

build:
	scripts/build out/sqmd

setup:
	@scripts/setup

demo: setup build
	scripts/demo

# First what takes all processors; then what measures time and work, alone; then what takes one processor, mostly, two at
# a time.
test: setup
	scripts/parts 1 lint unit race fuzz size lab-command
	scripts/parts 2 mips scenarios luci lab-others tc-suite conformance packages foreign
	@echo "make test: all of it passed"

# Of that, what is about packages: as files, and installed on a router.
test-packages: setup
	go test ./release/... ./cmd/sqmrelease ./lab/openwrt/...
	$(MAKE) packages scenarios foreign
	@echo "make test-packages: all of it passed"

# And what a router's own processor core makes of it.
test-mips: setup mips
	@echo "make test-mips: all of it passed"

mips:
	scripts/test-mips

# The pages in LuCI, in a browser.
test-luci: setup luci
	@echo "make test-luci: all of it passed"

luci:
	scripts/test-luci

# The pages on localhost, with a live router behind them, until interrupted.
luci-preview:
	scripts/luci-preview

# And what is about the daemon.
test-daemon: setup
	go test $(DAEMON)
	CGO_ENABLED=1 go test -race -short $(DAEMON)
	scripts/fuzz $(FUZZTIME) $(DAEMON)
	scripts/lab go-test ./watch
	scripts/lab go-test --timeout 30m -run '$(DAEMON_LAB)' ./cmd/sqmd
	@echo "make test-daemon: all of it passed"

lint:
	scripts/lint

unit:
	go test ./...

race:
	CGO_ENABLED=1 go test -race -short ./...

fuzz:
	scripts/fuzz $(FUZZTIME)

size:
	scripts/size

# Tests that need a kernel of their own run in a virtual machine.
lab: lab-command lab-others

lab-others:
	scripts/lab go-test --timeout 30m $$(git grep -l '^//go:build lab' -- '*.go' | xargs -n1 dirname | sort -u | grep -vx -e cmd/sqmd -e lab/openwrt/scenario | sed 's|^|./|')

lab-command:
	scripts/lab go-test --timeout 30m ./cmd/sqmd

# Packages for all architectures, twice; the programs in them start.
packages:
	scripts/test-packages

# The package on a router: installed, upgraded, removed, after sqm-scripts.
scenarios:
	scripts/lab-packages
	scripts/lab go-test --timeout 30m ./lab/openwrt/scenario

# The tests of what is on a router on other processors, by emulation.
foreign:
	scripts/test-foreign

tc-suite:
	scripts/tc-suite

conformance:
	scripts/conformance $(ORACLE)

clean:
	rm -rf out
