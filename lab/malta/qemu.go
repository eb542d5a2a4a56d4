// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab/malta/wire"
)

// memory is that of an Archer C7, in MB.
const memory = 128

// boot runs QEMU until the guest has said how its command ended, and then ends QEMU.
func (g *Guest) boot(ctx context.Context, system, work string) (Result, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return Result{}, err
	}
	defer ours.Close()
	ctx, end := context.WithCancel(ctx)
	defer end()
	command := exec.CommandContext(ctx, g.emulator(), g.arguments(system, work)...)
	command.ExtraFiles = []*os.File{theirs} // descriptor 3
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said

	started := time.Now()
	ended := make(chan error, 1)
	go func() {
		// Pdeathsig fires at the end of the thread: staying locked, it lives as long as QEMU.
		runtime.LockOSThread()
		err := command.Start()
		theirs.Close()
		if err == nil {
			err = command.Wait()
		}
		ended <- err
	}()
	result, err := g.listen(ours, started, silence)
	end()
	if exited := <-ended; errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("ended before its command did")
		if text := strings.TrimSpace(said.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		} else if exited != nil {
			err = fmt.Errorf("%w: %w", err, exited)
		}
	}
	return result, err
}

func (g *Guest) emulator() string {
	if g.Endian == Big {
		return "qemu-system-mips"
	}
	return "qemu-system-mipsel"
}

// arguments returns QEMU's. It runs without display, monitor and network card; the guest's first serial line is the
// kernel's console, its virtio serial port ends in descriptor 3.
func (g *Guest) arguments(system, work string) []string {
	kernel := append([]string{"console=ttyS0", "quiet", "panic=1"}, g.KernelArguments...)
	arguments := []string{
		"-M", "malta", "-cpu", "74Kf", "-m", strconv.Itoa(memory), "-nodefaults", "-no-user-config", "-nographic", "-no-reboot",
		// Time goes by the guest's instructions, not by the host's clock. On a busy host the core would often find
		// that the moment its timer was set for has passed already, and then wait for the timer's counter to come round
		// again: 26 s, of which its clock does not know. The kernel finds out how fast the counter is from the clock of the
		// board, which therefore has to keep the same time.
		"-icount", fmt.Sprintf("shift=%d,sleep=on,align=off", bits.TrailingZeros(uint(g.InstructionNs))), "-rtc", "clock=vm",
		"-nic", "none", "-serial", "file:" + filepath.Join(work, consoleFile),
		"-kernel", filepath.Join(system, "kernel"), "-initrd", filepath.Join(work, imageFile), "-append", strings.Join(kernel, " "),
		"-device", "virtio-serial-pci", "-chardev", "socket,id=host,fd=3",
		"-device", "virtserialport,chardev=host,name=" + wire.PortName,
	}
	for _, s := range g.shares() {
		directory, access := g.Shares[s.Path], ",readonly=on"
		if s.Writable {
			directory, access = g.OutDir, ""
		}
		arguments = append(arguments, "-virtfs", fmt.Sprintf("local,path=%s,mount_tag=%s,security_model=none,multidevs=remap%s",
			strings.ReplaceAll(directory, ",", ",,"), s.Tag, access))
	}
	return arguments
}

// errSilent says that no time passes in the guest.
var errSilent = errors.New("does nothing any more: QEMU hangs")

// silence is how long a guest may say nothing; on a busy host its time goes many times slower than that outside.
const silence = 36 * wire.Pulse

// listen passes the guest's output on until the guest says how its command ended.
func (g *Guest) listen(guest *os.File, started time.Time, silence time.Duration) (Result, error) {
	var result Result
	for {
		if err := guest.SetReadDeadline(time.Now().Add(silence)); err != nil {
			return result, fmt.Errorf("listen to the guest: %w", err)
		}
		frame, err := wire.Read(guest)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return result, errSilent
		}
		if err != nil {
			return result, err
		}
		switch frame.Kind {
		case wire.Alive:
		case wire.Started:
			result.Boot = time.Since(started)
		case wire.Stdout:
			err = pass(g.Stdout, frame.Data)
		case wire.Stderr:
			err = pass(g.Stderr, frame.Data)
		case wire.Failed:
			err = errors.New(string(frame.Data))
		case wire.Exited:
			result.Elapsed = time.Since(started)
			result.ExitCode, err = strconv.Atoi(string(frame.Data))
			return result, err
		default:
			err = fmt.Errorf("sent a frame of kind %q", frame.Kind)
		}
		if err != nil {
			return result, err
		}
	}
}

func pass(to io.Writer, data []byte) error {
	if to == nil {
		return nil
	}
	_, err := to.Write(data)
	return err
}

func socketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make socket for the guest: %w", err)
	}
	// What does not block takes a deadline.
	if err := unix.SetNonblock(pair[0], true); err != nil {
		return nil, nil, fmt.Errorf("make socket for the guest: %w", err)
	}
	return os.NewFile(uintptr(pair[0]), "guest"), os.NewFile(uintptr(pair[1]), "host"), nil
}
