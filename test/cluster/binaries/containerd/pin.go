//go:build pin

// Package pin names the commands that the harness builds, so that `go mod tidy` keeps what they need.
package pin

import (
	_ "github.com/containerd/containerd/v2/cmd/containerd"
	_ "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"
	_ "github.com/containerd/containerd/v2/cmd/ctr"
)
