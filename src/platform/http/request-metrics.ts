import { gauge, histogram, type Metrics } from '../metrics.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

const REQUEST_DURATION = histogram(
  'http_server_request_duration_seconds',
  'Duration of HTTP requests.',
  SECONDS,
  ['http_request_method', 'http_route', 'http_response_status_code'],
);
const ACTIVE_REQUESTS = gauge('http_server_active_requests', 'Requests under way.');

export type RequestMetrics = ReturnType<typeof openRequestMetrics>;

export function openRequestMetrics(metrics: Metrics) {
  return {
    requests: metrics.histogram(REQUEST_DURATION),
    activeRequests: metrics.gauge(ACTIVE_REQUESTS),
  };
}
