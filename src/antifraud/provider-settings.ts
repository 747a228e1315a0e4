import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import { channelUrlFault } from '../platform/channels/channel-url.ts';

export type ProviderSettings = {
  readonly url: string;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
};

type SettingText = (name: string) => string;

/** Null: there is none. Faults of the settings are added to `faults`. */
export function providerSettings(
  text: SettingText,
  channel: ChannelFiles,
  timeoutMilliseconds: number,
  faults: string[],
): ProviderSettings | null {
  const url = text('PARCELA_ANTIFRAUD_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_ANTIFRAUD_URL', url, 'names and documents of buyers');
  if (fault !== null) {
    faults.push(fault);
    return null;
  }
  return { url: url.replace(/\/+$/, ''), channel, timeoutMilliseconds };
}
