import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { bearerToken } from './http/bearer-token.ts';

/**
 * A metric as its module declares it, under OpenTelemetry's name where its semantic conventions have
 * one. `database`: counted there now and then, the same in every process.
 */
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

/** Throws when the name is taken: a metric has one meaning. */
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

/** Of all processes on a database: one of a process would be counted as often as there are processes. */
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

/** The metrics of the modules that are loaded, by name. */
export function declaredMetrics(): readonly Metric[] {
  return [...declared.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** One value of a metric, with its labels. */
export type Sample = {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
};

/** The metrics of a process, under which each module registers those that it has declared. */
export type Metrics = {
  counter<Label extends string>(metric: Declared<'counter', Label>): Counter<Label>;
  /** `collect`: sets it when it is read. */
  gauge<Label extends string>(
    metric: Declared<'gauge', Label>,
    collect?: (gauge: Gauge<Label>) => void,
  ): Gauge<Label>;
  histogram<Label extends string>(metric: ReturnType<typeof histogram<Label>>): Histogram<Label>;
  /** Whether a module of this process has registered it. */
  has(metric: Metric): boolean;
  /** What stands under a declared name now; of a histogram how often it was observed. */
  read(name: string): Promise<readonly Sample[]>;
  /** Called before each text, which waits for it, but not for long: a database may be away. */
  beforeRead(count: () => Promise<void>): void;
  text(): Promise<string>;
};

const LONGEST_COUNT_MILLISECONDS = 1_000;

/** A counter or a gauge that two register is one and the same. */
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
    has: ({ name }) => registry.getSingleMetric(name) !== undefined,
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
  /** Whether a reader has to show a token; not where only this machine reads. */
  readonly needsToken: boolean;
  /** The header that has to be sent then. While there is none, nobody reads. */
  readonly authorization: () => string | undefined;
};

/** `/metrics` has a listener of its own: no place, no limit and no token of the APIs is in its way. */
export function serveMetrics(
  metrics: Metrics,
  { host, port, needsToken, authorization }: MetricsListener,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') return void response.writeHead(404).end();
    if (needsToken && !isAllowed(request, authorization()))
      return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

function isAllowed(request: IncomingMessage, wanted: string | undefined): boolean {
  const shown = bearerToken(request);
  return shown !== null && wanted !== undefined && timingSafeEqual(sha256(`Bearer ${shown}`), sha256(wanted));
}

/** Of one length, however long what was shown is. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
