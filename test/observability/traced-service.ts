import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, type GotSpan, startCollector } from '../kit/collector.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { openSimulator, until } from '../kit/service.ts';
import { type ChargingService, openChargingService } from '../recurrence/charging-service.ts';

/** A service whose every trace goes to a collector, with all those beside it that it asks. */
export type TracedService = ChargingService & {
  readonly collector: Collector;
  /** The provider of anti-fraud decisions, which accepts everything. */
  readonly provider: Listener;
  /** All spans of the trace, once each of these names is among them: they come in the order of their ends. */
  traceWith(traceId: string, ...names: readonly string[]): Promise<GotSpan[]>;
};

export async function openTracedService(): Promise<TracedService> {
  const collector = await startCollector();
  const provider = await startListener(({ body }) => {
    const { transactionId } = JSON.parse(body || '{}') as { transactionId?: string };
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify({ protocol: 1, transactionId, verdict: 'accept' }) };
  });
  const ledger = await mkdtemp(join(tmpdir(), 'parcela-traced-bank-'));
  const bank = await openSimulator(ledger, [], 'bank');
  const service = await openChargingService({
    PARCELA_OTLP_URL: collector.url,
    PARCELA_TRACE_RATIO: '1',
    PARCELA_TRACE_TARGETS: 'acquirer,bank,antifraud,merchants',
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
    PARCELA_REQUEST_ID_HEADER: 'X-Request-Id',
    PARCELA_ANTIFRAUD_URL: provider.url,
    PARCELA_BANK_URL: bank.url,
  });
  const { close } = service;
  return Object.assign(service, {
    collector,
    provider,
    traceWith: (traceId: string, ...names: readonly string[]) =>
      until(`there is ${names} in the trace`, async () => {
        const spans = collector.spans().filter((span) => span.traceId === traceId);
        return names.every((name) => spans.some((span) => span.name === name)) && spans;
      }),
    async close() {
      await close();
      await bank.stop();
      await provider.close();
      await collector.close();
      await rm(ledger, { recursive: true, force: true });
    },
  });
}
