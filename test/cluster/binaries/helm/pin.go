//go:build pin

// Package pin names the commands that the harness builds, so that `go mod tidy` keeps what they need.
package pin

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
