# SPDX-License-Identifier: GPL-2.0-or-later
# make demo   the main job on a virtual router, before and after
# make test   everything
# make test-daemon   of that, the daemon
# make build  out/sqmd for this machine

# Cases for the conformance test: what sqm-scripts makes of real and hostile configurations.
ORACLE ?= lab/conformance/oracle
# A number of inputs, not a time: go test sometimes fails a target whose time is up.
FUZZTIME ?= 10000x
export CGO_ENABLED ?= 0

# What makes up the daemon, and those of its tests in the lab that are not a package's own.
DAEMON = ./watch ./daemon/... ./ubus ./control ./top ./doctor ./metrics ./lab/simkernel ./lab/ubusd
DAEMON_LAB = ^Test(Daemon|Soak|Idle)

.PHONY: build demo test test-daemon unit race fuzz lint lab conformance tc-suite size setup clean

build:
	scripts/build out/sqmd

setup:
	@scripts/setup

demo: setup build
	scripts/demo

test: setup lint unit race fuzz size lab tc-suite conformance
	@echo "make test: all of it passed"

# Of that, what is about the daemon.
test-daemon: setup
	go test $(DAEMON)
	CGO_ENABLED=1 go test -race -short $(DAEMON)
	scripts/fuzz $(FUZZTIME) $(DAEMON)
	scripts/lab go-test ./watch
	scripts/lab go-test --urgent --timeout 30m -run '$(DAEMON_LAB)' ./cmd/sqmd
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

# Tests that need a kernel of their own run in a virtual machine. Those of the
# command measure time and work, and come before what else the machine has to do.
lab:
	scripts/lab go-test --timeout 30m $$(git grep -l '^//go:build lab' -- '*.go' | xargs -n1 dirname | sort -u | grep -vx cmd/sqmd | sed 's|^|./|')
	scripts/lab go-test --urgent --timeout 30m ./cmd/sqmd

tc-suite:
	scripts/tc-suite

conformance:
	scripts/conformance $(ORACLE)

clean:
	rm -rf out
