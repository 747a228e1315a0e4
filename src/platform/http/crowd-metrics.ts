import { errorFields, errorKind, type Log } from '../log.ts';
import { counter, gauge, histogram, type Metrics } from '../metrics.ts';
import type { Outages } from '../outages.ts';
import { openReminder } from '../reminder.ts';
import type { PlaceObserver } from './admission.ts';
import type { BodyObserver } from './body-memory.ts';
import type { ConnectionObserver } from './caller-connections.ts';

const CONNECTIONS = gauge('parcela_connections', 'Connections that are open.');
const CONNECTIONS_REFUSED = counter('parcela_connections_refused_total', 'Connections beyond a limit.', [
  'reason',
]);
const CONNECTIONS_CUT = counter(
  'parcela_connections_cut_total',
  'Connections that were ended: an answer was not read, a body not sent in time, too many requests sent at once, room was made for others.',
  ['reason'],
);
const PLACES_TAKEN = gauge('parcela_places_taken', 'Requests that a handler works at, by who sent them.', [
  'caller',
]);
const PLACES_REFUSED = counter('parcela_places_refused_total', 'Requests that found no place.', ['reason']);
const BODY_BYTES = gauge('parcela_body_bytes', 'Bytes of the bodies of requests that are not answered yet.');
const BODIES_REFUSED = counter('parcela_bodies_refused_total', 'Bodies for which there was no memory.', [
  'reason',
]);

/** The pause between log lines for one reason, because clients decide how often it occurs. */
const PAUSE_MILLISECONDS = 60_000;

export function observeConnections(metrics: Metrics, log: Log): ConnectionObserver {
  const open = metrics.gauge(CONNECTIONS);
  const refused = metrics.counter(CONNECTIONS_REFUSED);
  const cut = metrics.counter(CONNECTIONS_CUT);
  const reminder = openReminder(
    (reason, times) => log.warn({ reason, times }, 'connections were refused or cut'),
    { pauseMilliseconds: PAUSE_MILLISECONDS },
  );
  return {
    opened: (count) => open.set(count),
    refused(reason) {
      refused.inc({ reason });
      reminder.report(reason);
    },
    cut(reason) {
      cut.inc({ reason });
      reminder.report(reason);
    },
  };
}

export function observePlaces(metrics: Metrics, log: Log): PlaceObserver {
  const taken = metrics.gauge(PLACES_TAKEN);
  const refused = metrics.counter(PLACES_REFUSED);
  const reminder = openReminder((reason, times) => log.warn({ reason, times }, 'requests found no place'), {
    pauseMilliseconds: PAUSE_MILLISECONDS,
  });
  return {
    taken(known, unknown) {
      taken.set({ caller: 'known' }, known);
      taken.set({ caller: 'unknown' }, unknown);
    },
    refused(reason) {
      refused.inc({ reason });
      reminder.report(reason);
    },
  };
}

export function observeBodies(metrics: Metrics, log: Log): BodyObserver {
  const held = metrics.gauge(BODY_BYTES);
  const refused = metrics.counter(BODIES_REFUSED);
  const reminder = openReminder((reason, times) => log.warn({ reason, times }, 'bodies were refused'), {
    pauseMilliseconds: PAUSE_MILLISECONDS,
  });
  return {
    held: (bytes) => held.set(bytes),
    refused(reason) {
      refused.inc({ reason });
      reminder.report(reason);
    },
  };
}

/** Requests answered 503 for lack of a turn, a lock, or a database. */
export type RefusedRequests = {
  /** `merchantId`: null while the caller is not known. */
  note(error: unknown, request: { readonly requestId: string; readonly merchantId: string | null }): void;
};

/** Logs each kind of refusal of each merchant once in a pause; metrics count all. */
export function observeRefused(log: Log, outages: Pick<Outages, 'explains'>): RefusedRequests {
  const reminder = openReminder<object>(
    // `fields` is null for reasons reported together: the one merchant named would be blamed for all.
    (reason, times, fields) => log.warn({ ...(fields ?? { reason }), times }, 'requests are refused for now'),
    { pauseMilliseconds: PAUSE_MILLISECONDS },
  );
  return {
    note: (error, { requestId, merchantId }) => {
      if (outages.explains(error, 'requests')) return;
      const { stack: _, ...fields } = errorFields(error) as { readonly stack?: unknown };
      reminder.report(`${merchantId} ${errorKind(error)}`, { requestId, merchantId, ...fields });
    },
  };
}

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
