// Package figures is what a gateway and its members show of themselves at /metrics, in Prometheus's form.
package figures

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Figures are those of one program.
type Figures struct{ registry *prometheus.Registry }

// New has none yet.
func New() Figures { return Figures{prometheus.NewRegistry()} }

// Seconds adds a histogram of times, from 2 µs to some seconds.
func (figures Figures) Seconds(name, help string) prometheus.Histogram {
	return promauto.With(figures.registry).NewHistogram(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.000002, 1.5, 38),
	})
}

// Page is what a scrape gets.
func (figures Figures) Page() http.Handler {
	return promhttp.HandlerFor(figures.registry, promhttp.HandlerOpts{})
}
