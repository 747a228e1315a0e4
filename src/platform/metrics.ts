import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isLoopback } from './channels/channel-url.ts';
import { bearerToken } from './http/bearer-token.ts';

/** Named as in OpenTelemetry's conventions. `database`: counted there, so the same in every process. */
export type Metric = {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly of: 'process' | 'database';
};

type Declared<Type extends Metric['type'], Label extends string> = Metric & {
  readonly type: Type;
  readonly labels: readonly Label[];
};

const declared = new Map<string, Metric>();

/** Throws when the name is taken. */
function declare<Made extends Metric>(metric: Made): Made {
  if (declared.has(metric.name)) throw new Error(`the metric ${metric.name} is declared already`);
  declared.set(metric.name, metric);
  return metric;
}

export function counter<Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
): Declared<'counter', Label> {
  return declare({ type: 'counter', name, help, labels, of: 'process' });
}

export function gauge<Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
): Declared<'gauge', Label> {
  return declare({ type: 'gauge', name, help, labels, of: 'process' });
}

/** The value is of the whole database: read it from one process, never summed over processes. */
export function databaseGauge<Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
): Declared<'gauge', Label> {
  return declare({ type: 'gauge', name, help, labels, of: 'database' });
}

export function histogram<Label extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labels: readonly Label[] = [],
): Declared<'histogram', Label> & { readonly buckets: readonly number[] } {
  return declare({ type: 'histogram', name, help, labels, of: 'process', buckets });
}

export function declaredMetrics(): readonly Metric[] {
  return [...declared.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export type Sample = {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
};

export type Metrics = {
  counter<Label extends string>(metric: Declared<'counter', Label>): Counter<Label>;
  /** `collect` sets the gauge when metrics are read. */
  gauge<Label extends string>(
    metric: Declared<'gauge', Label>,
    collect?: (gauge: Gauge<Label>) => void,
  ): Gauge<Label>;
  histogram<Label extends string>(metric: ReturnType<typeof histogram<Label>>): Histogram<Label>;
  /** The samples of a metric; of a histogram, the numbers of observations. */
  read(name: string): Promise<readonly Sample[]>;
  /**
   * `count` is called before each text, which waits for it for a second at most: the database may be away.
   */
  beforeRead(count: () => Promise<void>): void;
  text(): Promise<string>;
};

const LONGEST_COUNT_MILLISECONDS = 1_000;

/** Registering a counter or gauge twice gives the same one. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counts: (() => Promise<void>)[] = [];
  const made = new Map<string, unknown>();
  const once = <Made>(name: string, make: () => Made): Made => {
    const found = made.get(name) ?? make();
    made.set(name, found);
    return found as Made;
  };
  return {
    counter: <Label extends string>({ name, help, labels }: Declared<'counter', Label>) =>
      once(name, () => new Counter({ name, help, labelNames: labels, registers })),
    gauge: <Label extends string>(
      { name, help, labels }: Declared<'gauge', Label>,
      collect: (gauge: Gauge<Label>) => void = () => {},
    ) =>
      once(name, () => {
        const own: Gauge<Label> = new Gauge({
          ...{ name, help, labelNames: labels, registers },
          collect: () => collect(own),
        });
        return own;
      }),
    histogram: ({ name, help, labels, buckets }) =>
      new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers }),
    async read(name) {
      if (!declared.has(name)) throw new Error(`no metric ${name} is declared`);
      const found = await registry.getSingleMetric(name)?.get();
      const values: readonly (Sample & { readonly metricName?: string })[] = found?.values ?? [];
      return values.filter(({ metricName = name }) => metricName === name || metricName === `${name}_count`);
    },
    beforeRead: (count) => void counts.push(count),
    async text() {
      const counted = new AbortController();
      const late = pause(LONGEST_COUNT_MILLISECONDS, undefined, { signal: counted.signal }).catch(() => {});
      await Promise.race([Promise.all(counts.map((count) => count())), late]);
      counted.abort();
      return registry.metrics();
    },
  };
}

export type MetricsListener = {
  readonly host: string;
  readonly port: number;
  /** False where only this machine can read. */
  readonly needsToken: boolean;
  /** The expected header. Undefined: nobody may read. */
  readonly authorization: () => string | undefined;
};

/** `/metrics` has its own listener: no place, limit or token of the APIs applies. */
export function serveMetrics(
  metrics: Metrics,
  { host, port, needsToken, authorization }: MetricsListener,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') return void response.writeHead(404).end();
    if (needsToken && !isAllowed(request, authorization()))
      return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    if (!needsToken && isLoopback(host) && !isNamedAsLoopback(request))
      return void response.writeHead(421).end();
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

/** A web page can make its own host name lead to this machine, and then read the answer. */
function isNamedAsLoopback({ headers: { host = '' } }: IncomingMessage): boolean {
  const named = URL.parse(`http://${host}`);
  return named !== null && isLoopback(named.hostname);
}

function isAllowed(request: IncomingMessage, wanted: string | undefined): boolean {
  const shown = bearerToken(request);
  return shown !== null && wanted !== undefined && timingSafeEqual(sha256(`Bearer ${shown}`), sha256(wanted));
}

/** Equalizes the lengths for a comparison in constant time. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
