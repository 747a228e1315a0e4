import packageJson from '../../package.json' with { type: 'json' };
import { newId } from '../platform/chance.ts';
import { openChannel } from '../platform/channels/open-channel.ts';
import { errorFields } from '../platform/log.ts';
import { counter } from '../platform/metrics.ts';
import { OTLP_CONNECT_MILLISECONDS, openSpanExport } from '../platform/tracing/open-span-export.ts';
import { Tracer } from '../platform/tracing/tracer.ts';
import type { StartContext } from './context.ts';

type TracingContext = Omit<StartContext, 'tracer' | 'outages' | 'gate' | 'peerCalls' | 'whileDatabaseStarts'>;

const SPANS = counter(
  'parcela_trace_spans_total',
  'Spans of traces: exported, or dropped because the queue was full or the collector did not take them.',
  ['fate'],
);

/** Opened first, so that it closes last and sends the last spans; null: no traces are wanted. */
export async function openTracing({
  configuration,
  closings,
  log,
  metrics,
}: TracingContext): Promise<Tracer | null> {
  const { traces } = configuration.observability;
  if (traces === null) return null;
  const { url, ratio, targets } = traces;
  const channel = await openChannel(traces.channel, {
    connectTimeoutMilliseconds: OTLP_CONNECT_MILLISECONDS,
    onFault: (error) =>
      log.error(errorFields(error), 'changed files of the channel to the collector are no good'),
  });
  closings.push({ name: 'channel to the collector', close: async () => channel.close() });
  const spans = metrics.counter(SPANS);
  for (const fate of ['exported', 'queueFull', 'notTaken'] as const) spans.inc({ fate }, 0);
  const exporting = openSpanExport({
    url,
    channel,
    resource: {
      'service.name': packageJson.name,
      'service.version': packageJson.version,
      'service.instance.id': newId(),
      'deployment.environment.name': configuration.environment,
    },
    observe: (fate, count) => spans.inc({ fate }, count),
  });
  closings.push({ name: 'traces', close: exporting.close });
  return new Tracer({ ratio, targets, chance: Math.random, take: exporting.take });
}
