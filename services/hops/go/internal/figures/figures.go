// Package figures has the metrics of a gateway and its members at /metrics, in Prometheus's format.
package figures

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Figures are the metrics of one program.
type Figures struct{ registry *prometheus.Registry }

// New has none yet.
func New() Figures { return Figures{prometheus.NewRegistry()} }

// Seconds adds a histogram of times, from 2 µs to some seconds.
func (figures Figures) Seconds(name, help string) prometheus.Histogram {
	return promauto.With(figures.registry).NewHistogram(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.000002, 1.5, 38),
	})
}

// Page serves the metrics.
func (figures Figures) Page() http.Handler {
	return promhttp.HandlerFor(figures.registry, promhttp.HandlerOpts{})
}
