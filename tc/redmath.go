// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// What red and sfq's red mode have in common: the parameters that people give
// are not those that the kernel takes. The formulas are those of tc(8), from
// Floyd's "RED: Discussions of Setting Parameters", 1997.

// redParameters is what the kernel works with.
type redParameters struct {
	min, max    uint32 // bytes
	weight      uint8  // log2 of 1/W, W the weight of the newest queue length (Wlog)
	scale       uint8  // log2 of (max-min)/probability (Plog)
	probability uint32 // 1/2^32 (max_P)
}

// redWish is what a person gives; 0 and nil stand for a computation.
type redWish struct {
	min, max, avpkt, burst uint32
	probability            *uint32
}

const (
	// redProbability is 0.02, tc(8)'s default.
	redProbability = 85899345
	redScale       = 1 << 32
)

// parameters reckons the kernel's numbers. defaultMax is for a wish without
// limits of its own.
func (r redWish) parameters(defaultMax uint32) (redParameters, error) {
	if r.avpkt == 0 {
		return redParameters{}, errors.New("needs avpkt")
	}
	p := redParameters{min: r.min, max: r.max, probability: redProbability}
	if p.max == 0 {
		p.max = defaultMax
	}
	if p.min == 0 {
		p.min = p.max / 3
	}
	if r.probability != nil {
		p.probability = *r.probability
	}
	burst := r.burst
	if burst == 0 {
		burst = uint32((2*uint64(p.min) + uint64(p.max)) / (3 * uint64(r.avpkt)))
	}
	if p.max < p.min {
		return p, errors.New("max is below min")
	}
	var ok bool
	if p.weight, ok = redWeight(p.min, burst, r.avpkt); !ok {
		return p, fmt.Errorf("burst %d is too small or too large, try %d", burst, 1+p.min/r.avpkt)
	}
	if p.scale, ok = redScaleLog(p.min, p.max, float64(p.probability)/redScale); !ok {
		return p, errors.New("the probability is too small")
	}
	return p, nil
}

// redWeight finds the largest weight with which burst packets of avpkt bytes go
// through below min: burst + 1 - min/avpkt < (1 - (1-W)^burst) / W.
func redWeight(min, burst, avpkt uint32) (uint8, bool) {
	a := float64(burst) + 1 - float64(min)/float64(avpkt)
	if a < 1 {
		return 0, false
	}
	weight := 0.5
	for log := uint8(1); log < 32; log++ {
		if a <= (1-math.Pow(1-weight, float64(burst)))/weight {
			return log, true
		}
		weight /= 2
	}
	return 0, false
}

// redScaleLog is log2 of (max-min)/probability.
func redScaleLog(min, max uint32, probability float64) (uint8, bool) {
	if min == max {
		return 0, true
	}
	p := probability / float64(max-min)
	for log := uint8(0); log < 32; log++ {
		if p > 1 {
			return log, true
		}
		p *= 2
	}
	return 0, false
}

// redBurst is a burst that leads to this weight, for packets of avpkt bytes; 0
// when none does.
func redBurst(min, avpkt uint32, weight uint8) uint32 {
	if weight == 0 || weight > 31 {
		return 0
	}
	below := largest(uint32(weight)-1, func(burst uint32) uint32 {
		if float64(burst) < float64(min)/float64(avpkt) {
			return 0
		}
		if log, ok := redWeight(min, burst, avpkt); ok {
			return uint32(log)
		}
		return 32
	})
	if below == math.MaxUint32 {
		return 0
	}
	return below + 1
}

// redIdle is the table by which the average falls on an idle link at rate byte/s,
// and log2 of the ticks between its entries.
func redIdle(weight uint8, avpkt uint32, rate uint64) (table [256]byte, cell uint8, err error) {
	time := float64(ticks(rate, avpkt))
	if time == 0 {
		return table, 0, errors.New("bandwidth is too large for avpkt")
	}
	decay := -math.Log(1-1/float64(uint64(1)<<weight)) / time
	for 31/decay/float64(uint64(1)<<cell) >= 512 {
		if cell++; cell == 32 {
			return table, 0, errors.New("bandwidth is too small for avpkt")
		}
	}
	for i := 1; i < 255; i++ {
		table[i] = byte(min(float64(uint64(i)<<cell)*decay, 31))
	}
	table[255] = 31
	return table, cell, nil
}

// redBandwidth is a bandwidth in byte/s that leads to this cell size, for packets
// of avpkt bytes.
func redBandwidth(weight, cell uint8, avpkt uint32) uint64 {
	if weight == 0 || weight > 31 || cell > 31 {
		return 0
	}
	time := 384 * float64(uint64(1)<<cell) * -math.Log(1-1/float64(uint64(1)<<weight)) / 31
	return uint64(max(float64(avpkt)*1e6*ticksPerMicro/time, 1))
}

// parseProbability reads a fraction such as "0.02".
func parseProbability(s string) (uint32, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f < 1) {
		return 0, fmt.Errorf("%q is not a probability from 0 to 1", s)
	}
	return uint32(f * redScale), nil
}

// probabilityText writes a probability so that nothing is lost.
func probabilityText(p uint32) string {
	return strconv.FormatFloat(float64(p)/redScale, 'g', -1, 64)
}
