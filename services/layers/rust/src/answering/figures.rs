use std::time::Duration;

use prometheus::process_collector::ProcessCollector;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder, exponential_buckets,
};

/// Metrics of a layer at /metrics, in Prometheus's format.
pub struct Figures {
    registry: Registry,
    durations: HistogramVec,
    requests: IntCounterVec,
    calls: IntCounterVec,
    connections: IntGaugeVec,
}

impl Figures {
    pub fn new() -> prometheus::Result<Self> {
        let durations = HistogramOpts::new("request_duration_seconds", "How long requests and calls took.")
            .buckets(exponential_buckets(0.0001, 2.0, 16)?);
        let figures = Self {
            registry: Registry::new(),
            durations: HistogramVec::new(durations, &["protocol", "operation"])?,
            requests: IntCounterVec::new(
                Opts::new("http_requests_total", "Requests over HTTP, by their status."),
                &["operation", "status"],
            )?,
            calls: IntCounterVec::new(
                Opts::new("grpc_requests_total", "Calls over gRPC, by their code."),
                &["method", "code"],
            )?,
            connections: IntGaugeVec::new(
                Opts::new("active_connections", "Connections that are open."),
                &["protocol"],
            )?,
        };
        let registry = &figures.registry;
        registry.register(Box::new(ProcessCollector::for_self()))?;
        registry.register(Box::new(figures.durations.clone()))?;
        registry.register(Box::new(figures.requests.clone()))?;
        registry.register(Box::new(figures.calls.clone()))?;
        registry.register(Box::new(figures.connections.clone()))?;
        Ok(figures)
    }

    /// Text of the metrics.
    pub fn page(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }

    /// Gauge of the open connections of a protocol.
    pub fn connections(&self, protocol: &str) -> IntGauge {
        self.connections.with_label_values(&[protocol])
    }

    /// Counts a request over HTTP.
    pub fn request(&self, operation: &str, status: &str, duration: Duration) {
        self.durations
            .with_label_values(&["http", operation])
            .observe(duration.as_secs_f64());
        self.requests.with_label_values(&[operation, status]).inc();
    }

    /// Counts a call over gRPC.
    pub fn call(&self, method: &str, code: &str, duration: Duration) {
        self.durations
            .with_label_values(&["grpc", method])
            .observe(duration.as_secs_f64());
        self.calls.with_label_values(&[method, code]).inc();
    }
}
