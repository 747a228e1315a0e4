import type { ChannelFiles } from '../../platform/channels/channel-files.ts';
import { channelUrlFault } from '../../platform/channels/channel-url.ts';
import type { ProviderSettings } from '../provider.ts';

export type PixSettings = {
  /** null if no bank of Pix is set. */
  readonly url: string | null;
  /** Its token is `client id:client secret`. */
  readonly channel: ChannelFiles;
  readonly settings: ProviderSettings;
  readonly timeoutMilliseconds: number;
  /** The pause between two questions for what arrived. */
  readonly changesSeconds: number;
};

/** null if none is set, or if payers' data must not be sent to it; the fault is added to `faults`. */
export function readPixUrl(text: (name: string) => string, faults: string[]): string | null {
  const url = text('PARCELA_PIX_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_PIX_URL', url, 'names and documents of payers');
  if (fault === null) return url;
  faults.push(fault);
  return null;
}

/** `name=value` separated by semicolons. A text is the fault. */
export function readPixDialect(text: string): ProviderSettings | string {
  const settings: Record<string, string> = {};
  for (const pair of text.split(';').map((part) => part.trim())) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    if (value.length === 0) return `must be name=value, separated by semicolons, not ${JSON.stringify(pair)}`;
    settings[name.trim()] = value.join('=').trim();
  }
  return settings;
}
