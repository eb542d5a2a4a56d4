// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"reflect"

	"sqmd/tc"
)

// deepCopy copies options, so that neither side sees what the other does to
// them later. Unexported fields keep sharing what they point to; the options of
// package tc have none that is ever written.
func deepCopy(o tc.Options) tc.Options {
	if o == nil {
		return nil
	}
	return deep(reflect.ValueOf(o)).Interface().(tc.Options)
}

// copied copies a structure and all that it points to; nil stays nil.
func copied[T any](p *T) *T {
	return deep(reflect.ValueOf(p)).Interface().(*T)
}

func deep(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		n := reflect.New(v.Type().Elem())
		n.Elem().Set(deep(v.Elem()))
		return n
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		n := reflect.New(v.Type()).Elem()
		n.Set(deep(v.Elem()))
		return n
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		n := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			n.Index(i).Set(deep(v.Index(i)))
		}
		return n
	case reflect.Struct:
		n := reflect.New(v.Type()).Elem()
		n.Set(v)
		for i := range v.NumField() {
			if n.Field(i).CanSet() {
				n.Field(i).Set(deep(v.Field(i)))
			}
		}
		return n
	}
	return v
}
