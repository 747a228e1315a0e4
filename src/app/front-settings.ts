import { parseBlocks } from '../values/ip-address.ts';
import { readOrigin } from './console-settings.ts';
import type { SettingReader } from './setting-reader.ts';

/** What stands between callers and this process. */
export type FrontSettings = {
  readonly trustedProxies: readonly string[];
  /** The operator says that callers reach this machine without a proxy. */
  readonly hasNoProxy: boolean;
  /** Public origin of the pages for payers. Null: that of each request. */
  readonly pagesOrigin: string | null;
};

/** A wider network would trust strangers. */
const WIDEST_PREFIX = { 32: 8, 128: 7 } as const;
const NO_PROXY = 'none';

export function readFront(reader: SettingReader): FrontSettings {
  const { text, networks, faults } = reader;
  const pagesOrigin = readOrigin(reader, 'PARCELA_PAGES_ORIGIN', 'https://pay.example.com');
  const name = 'PARCELA_TRUSTED_PROXIES';
  if (text(name).trim() === NO_PROXY) return { trustedProxies: [], hasNoProxy: true, pagesOrigin };
  const trustedProxies = networks(name);
  for (const { bits, prefix, ip } of parseBlocks(trustedProxies))
    if (prefix < WIDEST_PREFIX[bits])
      faults.push(`${name}: ${ip}/${prefix} has strangers in it, who would be believed; name the proxies`);
  return { trustedProxies, hasNoProxy: false, pagesOrigin };
}
