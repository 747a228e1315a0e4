import { KEY_BYTES } from './sealing.ts';

/** Where the key-encryption keys are; exactly one of the three. */
export type KeyStoreSettings =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'environment'; readonly key: Buffer; readonly formerKeys: readonly Buffer[] }
  | { readonly kind: 'external'; readonly url: string; readonly tokenFile: string | null };

/** Gives the value of a setting, empty when it was not set. */
type SettingText = (name: string) => string;

/** Settings that are keys themselves: they are taken out of the environment once they are read. */
export const SECRET_KEY_SETTINGS = ['PARCELA_KEY', 'PARCELA_KEY_FORMER'];

/**
 * The one key store that was set; what is wrong with the settings is added to `faults`. Two stores contradict each other:
 * nobody could say which keys are meant. No fault repeats a key.
 */
export function keyStoreSettings(text: SettingText, faults: string[], presetFile: string): KeyStoreSettings {
  const stores = ['PARCELA_KEY_FILE', 'PARCELA_KEY', 'PARCELA_KEY_STORE_URL'].filter(
    (name) => text(name) !== '',
  );
  if (stores.length > 1)
    faults.push(`${stores.join(', ')}: only one key store can be set; leave the others out`);
  for (const [name, needed] of [
    ['PARCELA_KEY_FORMER', 'PARCELA_KEY'],
    ['PARCELA_KEY_STORE_TOKEN_FILE', 'PARCELA_KEY_STORE_URL'],
  ] as const) {
    if (text(name) !== '' && text(needed) === '') faults.push(`${name}: has no effect without ${needed}`);
  }
  if (text('PARCELA_KEY_STORE_URL') !== '') return externalStore(text, faults);
  if (text('PARCELA_KEY') !== '') return environmentStore(text, faults);
  return { kind: 'file', path: text('PARCELA_KEY_FILE') || presetFile };
}

function environmentStore(text: SettingText, faults: string[]): KeyStoreSettings {
  const keyOf = (name: string, value: string): Buffer => {
    const key = Buffer.from(value, 'base64');
    if (key.length !== KEY_BYTES || key.toString('base64') !== value) {
      faults.push(`${name}: must be ${KEY_BYTES} bytes in base64 (44 characters)`);
    }
    return key;
  };
  const former = text('PARCELA_KEY_FORMER')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  return {
    kind: 'environment',
    key: keyOf('PARCELA_KEY', text('PARCELA_KEY')),
    formerKeys: former.map((value) => keyOf('PARCELA_KEY_FORMER', value)),
  };
}

function externalStore(text: SettingText, faults: string[]): KeyStoreSettings {
  const url = text('PARCELA_KEY_STORE_URL');
  const address = URL.parse(url);
  const isLoopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(address?.hostname ?? '');
  const isSafe = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback);
  if (!isSafe || `${address.username}${address.password}${address.search}${address.hash}` !== '') {
    faults.push(
      'PARCELA_KEY_STORE_URL: must start with https://, or with http:// on loopback, and have no password, query or ' +
        'fragment: data keys travel there',
    );
  }
  const tokenFile = text('PARCELA_KEY_STORE_TOKEN_FILE');
  return { kind: 'external', url: url.replace(/\/+$/, ''), tokenFile: tokenFile === '' ? null : tokenFile };
}
