package answering

import (
	"context"
	"net"
	"net/http"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// Figures are the metrics of a layer at /metrics, in Prometheus's format.
type Figures struct {
	registry    *prometheus.Registry
	durations   *prometheus.HistogramVec
	requests    *prometheus.CounterVec
	calls       *prometheus.CounterVec
	connections *prometheus.GaugeVec
}

func newFigures() *Figures {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	with := promauto.With(registry)
	return &Figures{
		registry: registry,
		durations: with.NewHistogramVec(prometheus.HistogramOpts{
			Name: "request_duration_seconds", Help: "How long requests and calls took.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16),
		}, []string{"protocol", "operation"}),
		requests: with.NewCounterVec(prometheus.CounterOpts{
			Name: "http_requests_total", Help: "Requests over HTTP, by their status.",
		}, []string{"operation", "status"}),
		calls: with.NewCounterVec(prometheus.CounterOpts{
			Name: "grpc_requests_total", Help: "Calls over gRPC, by their code.",
		}, []string{"method", "code"}),
		connections: with.NewGaugeVec(prometheus.GaugeOpts{
			Name: "active_connections", Help: "Connections that are open.",
		}, []string{"protocol"}),
	}
}

// page serves the metrics.
func (figures *Figures) page() http.Handler {
	return promhttp.HandlerFor(figures.registry, promhttp.HandlerOpts{})
}

// request answers an operation over HTTP and counts it.
func (figures *Figures) request(operation string, ask func(request *http.Request) (any, error)) http.HandlerFunc {
	duration := figures.durations.WithLabelValues("http", operation)
	return func(answer http.ResponseWriter, request *http.Request) {
		start := time.Now()
		status := respond(answer, request, ask)
		duration.Observe(time.Since(start).Seconds())
		figures.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	}
}

// call counts a call over gRPC.
func (figures *Figures) call(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	start := time.Now()
	answer, err := handle(ctx, request)
	method := path.Base(info.FullMethod)
	figures.durations.WithLabelValues("grpc", method).Observe(time.Since(start).Seconds())
	figures.calls.WithLabelValues(method, status.Code(err).String()).Inc()
	return answer, err
}

// counted is a listener whose open connections are counted.
type counted struct {
	net.Listener
	open prometheus.Gauge
}

func (figures *Figures) counted(listener net.Listener, protocol string) net.Listener {
	return counted{listener, figures.connections.WithLabelValues(protocol)}
}

func (listener counted) Accept() (net.Conn, error) {
	connection, err := listener.Listener.Accept()
	if err != nil {
		return nil, err
	}
	listener.open.Inc()
	return countedConnection{connection, sync.OnceFunc(listener.open.Dec)}, nil
}

type countedConnection struct {
	net.Conn
	leave func()
}

func (connection countedConnection) Close() error {
	connection.leave()
	return connection.Conn.Close()
}
