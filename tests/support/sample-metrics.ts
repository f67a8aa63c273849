/** A page with metrics as client libraries of Prometheus write it: a histogram by two labels, a summary, a counter and a gauge. */
export function metricsPage({ requested = 0, listed = 0 } = {}): string {
  return `# HELP go_goroutines Number of goroutines that currently exist.
# TYPE go_goroutines gauge
go_goroutines 12
# HELP request_duration_seconds How long requests and calls took.
# TYPE request_duration_seconds histogram
${buckets('GetUser', [0.5 * requested, requested, requested])}
${buckets('ListUsers', [0, 0.5 * listed, listed])}
# HELP http_requests_total Requests over HTTP, by their "status".
# TYPE http_requests_total counter
http_requests_total{operation="GetUser",status="200"} ${requested}
http_requests_total{operation="Odd \\"one\\" } 5",status="404"} 3 1763719200000
# TYPE queue_seconds summary
queue_seconds{quantile="0.5"} 0.002
queue_seconds_sum ${0.25 * requested}
queue_seconds_count ${requested}
# TYPE active_connections gauge
active_connections{protocol="grpc"} 1
active_connections{protocol="http"} 2e1
`;
}

/** Of answers in up to 1 ms, in up to 2 ms and in all; each takes 1 ms in the mean. */
function buckets(operation: string, [one = 0, two = 0, all = 0]: readonly number[]): string {
  const labels = `operation="${operation}",protocol="http"`;
  return `request_duration_seconds_bucket{${labels},le="0.001"} ${one}
request_duration_seconds_bucket{${labels},le="0.002"} ${two}
request_duration_seconds_bucket{${labels},le="+Inf"} ${all}
request_duration_seconds_sum{${labels}} ${0.001 * all}
request_duration_seconds_count{${labels}} ${all}`;
}

/** The metrics of that page that somebody may ask for. */
export const METRIC_NAMES_THERE = [
  'request_duration_seconds',
  'http_requests_total',
  'queue_seconds',
  'active_connections',
] as const;
