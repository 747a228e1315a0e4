import { readOrigin } from './console-settings.ts';
import type { SettingReader } from './setting-reader.ts';

export type FrontSettings = {
  readonly trustedProxies: readonly string[];
  /** The operator says that callers reach this machine without a proxy. */
  readonly hasNoProxy: boolean;
  /** Public origin of the pages for payers. Null: that of each request. */
  readonly pagesOrigin: string | null;
};

const NO_PROXY = 'none';

export function readFront(reader: SettingReader): FrontSettings {
  const { text, networks } = reader;
  const pagesOrigin = readOrigin(reader, 'PARCELA_PAGES_ORIGIN', 'https://pay.example.com');
  const name = 'PARCELA_TRUSTED_PROXIES';
  if (text(name).trim() === NO_PROXY) return { trustedProxies: [], hasNoProxy: true, pagesOrigin };
  return { trustedProxies: networks(name), hasNoProxy: false, pagesOrigin };
}
