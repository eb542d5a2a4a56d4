// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"sqmd/lab"
	"sqmd/lab/command"
	"sqmd/lab/luci/router"
	"sqmd/lab/luci/wire"
)

// The hidden commands: the first makes a network in the guest and runs the second in the router's namespace.
const (
	insideGuest  = "inside-guest"
	insideRouter = "inside-router"
)

// lan is the router's device to the client.
const lan = "lan1"

// guestCommand is given the paths of sqmd, sqmbox, busybox and the repository.
func guestCommand(_ context.Context, args []string) (err error) {
	if len(args) != 4 {
		return command.ErrUsage
	}
	network, err := lab.Topology{}.Build()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, network.Close()) }()
	device := string(network.Clients[0].Namespace)
	rename := fmt.Sprintf("ip link set %s down && ip link set %s name %s && ip link set %s up", device, device, lan, lan)
	if _, err := network.Router.Run("sh", "-c", rename); err != nil {
		return err
	}
	text, err := json.Marshal(network)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own executable: %w", err)
	}
	inside := network.Router.Command(self, append([]string{insideRouter, string(text)}, args...)...)
	inside.Stdin, inside.Stdout, inside.Stderr = os.Stdin, os.Stdout, os.Stderr
	return inside.Run()
}

// routerCommand boots the router and answers calls until there is nobody to make any.
func routerCommand(ctx context.Context, args []string) (err error) {
	if len(args) != 5 {
		return command.ErrUsage
	}
	network := new(lab.Network)
	if err := json.Unmarshal([]byte(args[0]), network); err != nil {
		return fmt.Errorf("read the network: %w", err)
	}
	dir, err := os.MkdirTemp("", "router-")
	if err != nil {
		return err
	}
	r, err := router.Boot(ctx, router.Options{
		Dir: dir, Program: args[1], Box: args[2], Busybox: args[3], Source: args[4], Network: network,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return wire.Serve(os.Stdin, os.Stdout, r.Answer)
}
