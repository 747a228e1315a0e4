import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import { channelUrlFault } from '../platform/channels/channel-url.ts';

export type BankSettings = {
  /** Null: none is named. */
  readonly url: string | null;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
  /** Between two questions about payments. */
  readonly changesSeconds: number;
};

/** Null: none is named, or it is no address to send payers' data to, which is added to `faults`. */
export function readBankUrl(text: (name: string) => string, faults: string[]): string | null {
  const url = text('PARCELA_BANK_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_BANK_URL', url, 'names and documents of payers');
  if (fault === null) return url;
  faults.push(fault);
  return null;
}
