import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Prometheus metrics, under OpenTelemetry's names where its semantic conventions have one. Each
 * module declares its own, once for the process.
 */
export type Metrics = {
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  /** `collect`: sets it when it is read. */
  gauge<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    collect?: (gauge: Gauge<Label>) => void,
  ): Gauge<Label>;
  histogram<Label extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly Label[],
  ): Histogram<Label>;
  text(): Promise<string>;
};

export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[] = [],
      collect: (gauge: Gauge<Label>) => void = () => {},
    ) => {
      const gauge: Gauge<Label> = new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect: () => collect(gauge),
      });
      return gauge;
    },
    histogram: (name, help, buckets, labelNames = []) =>
      new Histogram({ name, help, labelNames, buckets: [...buckets], registers }),
    text: () => registry.metrics(),
  };
}

/**
 * `/metrics` has a listener of its own, on loopback unless the operator says otherwise: it needs no
 * token.
 */
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
