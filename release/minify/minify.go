// SPDX-License-Identifier: GPL-2.0-or-later

// Package minify makes the scripts and style sheets of a LuCI app smaller, as LuCI's build does with its own tools.
package minify

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// JavaScript makes a LuCI module smaller; name is the file's in errors. The result does the same under the loader of
// LuCI: its directives ('use strict', 'require rpc', 'require sqmd.chart as chart') come first and in their order, names
// that the module does not declare and those of properties stay. It needs no newer browser than one of 2020.
func JavaScript(name string, source []byte) ([]byte, error) {
	if _, err := transform(name, source, api.TransformOptions{Loader: api.LoaderJS}); err != nil {
		return nil, err
	}
	// The loader makes the module a function's body. As that it is parsed here, too: its own names may be shorter then,
	// and a return is allowed. The names behind it are the function's parameters there and must not be given to others.
	directives := Directives(source)
	tail := "}," + strings.Join(parameters(directives), ",") + ");"
	small, err := transform(name, slices.Concat([]byte(head), source, []byte("\n"+tail)), api.TransformOptions{
		Loader:            api.LoaderJS,
		Target:            api.ES2020,
		MinifyIdentifiers: true,
		TreeShaking:       api.TreeShakingFalse,
	})
	if err != nil {
		return nil, err
	}
	body, isHead := bytes.CutPrefix(bytes.TrimSpace(small), []byte(head))
	body, isTail := bytes.CutSuffix(body, []byte(tail))
	if !isHead || !isTail {
		// There are helpers beside the function.
		return nil, fmt.Errorf("minifying %s: it is newer than ES2020", name)
	}
	if after := Directives(body); !slices.Equal(directives, after) {
		return nil, fmt.Errorf("minifying %s: its directives %q become %q", name, directives, after)
	}
	return body, nil
}

// head makes a module a function's body.
const head = "module(function(){"

// parameters are what the loader calls a module's function with.
func parameters(directives []string) []string {
	names := []string{"window", "document", "L"}
	for _, d := range directives {
		words := strings.Fields(d)
		if words[0] != "require" {
			continue
		}
		name := notInName.ReplaceAllString(words[1], "_")
		if len(words) > 2 {
			name = words[3]
		}
		names = append(names, name)
	}
	return names
}

// notInName matches what a module's path has and a name cannot have.
var notInName = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// CSS makes a style sheet smaller; name is the file's in errors.
func CSS(name string, source []byte) ([]byte, error) {
	return transform(name, source, api.TransformOptions{Loader: api.LoaderCSS})
}

func transform(name string, source []byte, o api.TransformOptions) ([]byte, error) {
	o.Sourcefile = name
	o.Charset = api.CharsetUTF8
	o.LegalComments = api.LegalCommentsNone
	o.MinifySyntax = true
	o.MinifyWhitespace = true
	r := api.Transform(string(source), o)
	var errs []error
	for _, m := range slices.Concat(r.Errors, r.Warnings) {
		line := 0
		if m.Location != nil {
			line = m.Location.Line
		}
		errs = append(errs, fmt.Errorf("%s:%d: %s", name, line, m.Text))
	}
	return r.Code, errors.Join(errs...)
}
