//go:build pin

// Package pin names the commands that the harness builds, so that `go mod tidy` keeps what they need.
package pin

import (
	_ "go.etcd.io/etcd/server/v3"
)
