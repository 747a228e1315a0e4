import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import { channelUrlFault } from '../platform/channels/channel-url.ts';
import { TRACE_TARGETS, type TraceTarget } from '../platform/tracing/tracer.ts';
import { readChannelSettings } from './channel-settings.ts';
import type { SettingReader } from './setting-reader.ts';

export type TraceSettings = {
  readonly url: string;
  readonly channel: ChannelFiles;
  /** Sampled part of the traces that begin here, from 0 to 1. */
  readonly ratio: number;
  readonly targets: readonly TraceTarget[];
};

export type ObservabilitySettings = {
  readonly traces: TraceSettings | null;
  /** The header, in lower case, in which trusted proxies send their own request id; null: none. */
  readonly requestIdHeader: string | null;
};

const RATIO = /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/;
const HEADER = /^[a-z\d][a-z\d-]{0,63}$/;

export function readObservability(reader: SettingReader): ObservabilitySettings {
  const { text, faults } = reader;
  return { traces: readTraces(reader), requestIdHeader: readHeader(text, faults) };
}

function readTraces(reader: SettingReader): TraceSettings | null {
  const { text, faults } = reader;
  const channel = readChannelSettings('PARCELA_OTLP', text, reader);
  const ratio = text('PARCELA_TRACE_RATIO');
  if (!RATIO.test(ratio))
    faults.push(`PARCELA_TRACE_RATIO: must be a number from 0 to 1 such as 0.05, not "${ratio}"`);
  const targets = readTargets(text('PARCELA_TRACE_TARGETS'), faults);
  const url = text('PARCELA_OTLP_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_OTLP_URL', url, 'ids of payments and merchants');
  if (fault !== null) {
    faults.push(fault);
    return null;
  }
  return { url: url.replace(/\/+$/, ''), channel, ratio: Number(ratio), targets };
}

function readTargets(given: string, faults: string[]): readonly TraceTarget[] {
  if (given === 'none') return [];
  const words = given
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const isKnown = (word: string): word is TraceTarget => TRACE_TARGETS.includes(word as TraceTarget);
  for (const word of words.filter((one) => !isKnown(one)))
    faults.push(
      `PARCELA_TRACE_TARGETS: must be \`none\` or some of ${TRACE_TARGETS.join(', ')}, not "${word}"`,
    );
  return words.filter(isKnown);
}

const SECRET_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

function readHeader(text: SettingReader['text'], faults: string[]): string | null {
  const name = text('PARCELA_REQUEST_ID_HEADER').toLowerCase();
  if (name === '') return null;
  if (!HEADER.test(name))
    faults.push(
      `PARCELA_REQUEST_ID_HEADER: must be the name of a header such as x-request-id, not "${name}"`,
    );
  if (SECRET_HEADERS.includes(name))
    faults.push(
      `PARCELA_REQUEST_ID_HEADER: ${name} has secrets, and the log would show them; name x-request-id`,
    );
  return name;
}
