import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics under OpenTelemetry's names (semantic conventions for HTTP and databases), ours beside them. */
export type Metrics = {
  readonly requests: Histogram<'http_request_method' | 'http_route' | 'http_response_status_code'>;
  readonly activeRequests: Gauge;
  /** Outcomes of authorizations: approved, declined, unknown, notSent. */
  readonly authorizations: Counter<'outcome' | 'brand'>;
  /** Charges of billings that ended, by what was made of them. */
  readonly charges: Counter<'rule'>;
  /** Billings whose attempt came to nothing more than three times and is sent again. */
  readonly chargesSentAgainOften: Counter;
  /** Due billings that were put off because the key of their card is not there. */
  readonly billingsWaitingForKey: Counter;
  readonly acquirerCalls: Histogram<'operation' | 'result'>;
  readonly batchedRows: Histogram<'statement'>;
  /** What became of each try to settle a charge or a cancel. */
  readonly settlements: Counter<'kind' | 'outcome'>;
  /** What is unknown now, of all processes on this database; counted every few seconds. */
  readonly unresolved: Gauge<'kind'>;
  readonly oldestUnresolved: Gauge<'kind'>;
  readonly mostResolveTries: Gauge<'kind'>;
  /** 1 while this process finds that the acquirer answers nothing. */
  readonly acquirerAway: Gauge<'kind'>;
  /** Changes that the acquirer brought, by what came of each try: applied, why refused, or why they wait. */
  readonly changes: Counter<'outcome'>;
  /** A question for changes was answered: with a page, that there are none (`notOffered`), or not clearly. */
  readonly hearOfChangePage: (outcome: 'changes' | 'notOffered' | 'unknown') => void;
  readonly antiFraudDecisions: Counter<'verdict'>;
  /** Tries beyond a limit of a network: refused (a fine was spared) or observed. */
  readonly triesBeyondLimits: Counter<'outcome' | 'brand' | 'cause'>;
  /** Tries to deliver: delivered, failed (comes again), givenUp, ahead (a probe that failed), takenOver. */
  readonly webhookDeliveries: Counter<'outcome'>;
  readonly webhookTries: Histogram<'result'>;
  /** Of all processes on this database; counted every few seconds, up to a hundred thousand. */
  readonly webhookWaiting: Gauge;
  readonly webhookEndpoints: Gauge<'state'>;
  readonly logins: Counter<'outcome'>;
  /** 1 beside the reason for which nothing may act. */
  readonly held: Gauge<'reason'>;
  readonly workErrors: Counter<'work'>;
  /** Age of the data key in use: what an alert for its yearly rotation watches. */
  readonly dataKeyAge: Gauge<'purpose'>;
  /** Sealed rows that did not open: altered, moved, or their key is lost. */
  readonly sealAlarms: Counter<'purpose'>;
  text(): Promise<string>;
};

export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    requests: new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of HTTP requests.',
      labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    activeRequests: new Gauge({
      name: 'http_server_active_requests',
      help: 'Requests under way.',
      registers,
    }),
    authorizations: new Counter({
      name: 'parcela_authorizations_total',
      help: 'Charges by outcome.',
      labelNames: ['outcome', 'brand'],
      registers,
    }),
    ...recurrenceMetrics(registers),
    acquirerCalls: new Histogram({
      name: 'parcela_acquirer_call_duration_seconds',
      help: 'Duration of calls to the acquirer.',
      labelNames: ['operation', 'result'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
      registers,
    }),
    batchedRows: new Histogram({
      name: 'parcela_batched_write_rows',
      help: 'Rows written by one batched statement.',
      labelNames: ['statement'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128],
      registers,
    }),
    ...resolvingMetrics(registers),
    ...webhookMetrics(registers),
    logins: new Counter({
      name: 'parcela_logins_total',
      help: 'Logins by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    workErrors: new Counter({
      name: 'parcela_work_errors_total',
      help: 'Errors of background work.',
      labelNames: ['work'],
      registers,
    }),
    ...gateMetrics(registers),
    ...stoppedSaleMetrics(registers),
    ...keyMetrics(registers),
    text: () => registry.metrics(),
  };
}

function recurrenceMetrics(
  registers: Registry[],
): Pick<Metrics, 'charges' | 'chargesSentAgainOften' | 'billingsWaitingForKey'> {
  return {
    charges: new Counter({
      name: 'parcela_charges_total',
      help: 'Charges of billings that ended, by what was made of them.',
      labelNames: ['rule'],
      registers,
    }),
    billingsWaitingForKey: new Counter({
      name: 'parcela_billings_waiting_for_key_total',
      help: 'Times that a due billing was put off because the data key of its card is not there: an alert.',
      registers,
    }),
    chargesSentAgainOften: new Counter({
      name: 'parcela_billings_sent_again_often_total',
      help: 'Times that a billing was sent again whose charge nobody had answered more than three times: an alert.',
      registers,
    }),
  };
}

/** What keeps a sale from the acquirer. */
function stoppedSaleMetrics(
  registers: Registry[],
): Pick<Metrics, 'antiFraudDecisions' | 'triesBeyondLimits'> {
  return {
    antiFraudDecisions: new Counter({
      name: 'parcela_anti_fraud_decisions_total',
      help: 'Sales by what anti-fraud said of them.',
      labelNames: ['verdict'],
      registers,
    }),
    triesBeyondLimits: new Counter({
      name: 'parcela_tries_beyond_limits_total',
      help: 'Tries of cards that their network would fine or forbid: refused before they were sent, or only observed.',
      labelNames: ['outcome', 'brand', 'cause'],
      registers,
    }),
  };
}

function resolvingMetrics(
  registers: Registry[],
): Pick<
  Metrics,
  | 'settlements'
  | 'unresolved'
  | 'oldestUnresolved'
  | 'mostResolveTries'
  | 'acquirerAway'
  | 'changes'
  | 'hearOfChangePage'
> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['kind'], registers });
  return {
    settlements: new Counter({
      name: 'parcela_resolutions_total',
      help: 'Tries to settle unanswered charges and cancels, by what became of them.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    unresolved: gauge('parcela_unresolved', 'Charges and cancels whose outcome is unknown.'),
    oldestUnresolved: gauge('parcela_unresolved_oldest_age_seconds', 'Age of the oldest of them; 0: none.'),
    mostResolveTries: gauge('parcela_unresolved_most_tries', 'Most tries that one of them has had.'),
    changes: new Counter({
      name: 'parcela_acquirer_changes_total',
      help: 'Tries to apply changes of the acquirer, by what came of them.',
      labelNames: ['outcome'],
      registers,
    }),
    hearOfChangePage: changePageMetrics(registers),
    acquirerAway: gauge('parcela_acquirer_away', '1 while the acquirer answers none of the tries.'),
  };
}

/** How old the newest page is that this process read; before the first, how long it runs. */
function changePageMetrics(registers: Registry[]): Metrics['hearOfChangePage'] {
  let readAt = performance.now();
  const pages = new Counter({
    name: 'parcela_acquirer_change_pages_total',
    help: 'Questions for changes of the acquirer, by how they were answered.',
    labelNames: ['outcome'],
    registers,
  });
  new Gauge({
    name: 'parcela_acquirer_changes_age_seconds',
    help: 'How long ago this process was told of changes, or that there are none.',
    registers,
    collect() {
      this.set((performance.now() - readAt) / 1_000);
    },
  });
  return (outcome) => {
    pages.inc({ outcome });
    if (outcome !== 'unknown') readAt = performance.now();
  };
}

function webhookMetrics(
  registers: Registry[],
): Pick<Metrics, 'webhookDeliveries' | 'webhookTries' | 'webhookWaiting' | 'webhookEndpoints'> {
  return {
    webhookDeliveries: new Counter({
      name: 'parcela_webhook_deliveries_total',
      help: 'Tries to deliver, by what became of them.',
      labelNames: ['outcome'],
      registers,
    }),
    webhookTries: new Histogram({
      name: 'parcela_webhook_try_duration_seconds',
      help: 'Duration of tries to deliver.',
      labelNames: ['result'],
      buckets: [0.01, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15],
      registers,
    }),
    webhookWaiting: new Gauge({
      name: 'parcela_webhook_deliveries_waiting',
      help: 'Deliveries that wait to be taken or given up.',
      registers,
    }),
    webhookEndpoints: new Gauge({
      name: 'parcela_webhook_endpoints',
      help: 'Targets: working, open (their breaker is), or held.',
      labelNames: ['state'],
      registers,
    }),
  };
}

function gateMetrics(registers: Registry[]): Pick<Metrics, 'held'> {
  return {
    held: new Gauge({
      name: 'parcela_held',
      help: '1: nothing is charged, settled or sent to merchants, for this reason.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

function keyMetrics(registers: Registry[]): Pick<Metrics, 'dataKeyAge' | 'sealAlarms'> {
  return {
    dataKeyAge: new Gauge({
      name: 'parcela_data_key_age_seconds',
      help: 'Age of the data key in use.',
      labelNames: ['purpose'],
      registers,
    }),
    sealAlarms: new Counter({
      name: 'parcela_seal_alarms_total',
      help: 'Sealed rows that did not open.',
      labelNames: ['purpose'],
      registers,
    }),
  };
}

/** `/metrics` has a listener of its own, on loopback unless the operator says otherwise: it asks for no token. */
export function serveMetrics(metrics: Metrics, host: string, port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') return void response.writeHead(404).end();
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}
