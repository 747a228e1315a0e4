import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import { channelUrlFault } from '../platform/channels/channel-url.ts';
import { KEY_BYTES } from './sealing.ts';

/** Where the key-encryption keys are. Only one store can be set. */
export type KeyStoreSettings =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'environment';
      readonly key: Buffer;
      readonly formerKeys: readonly Buffer[];
      /** The settings that the keys came from, for example `PARCELA_KEY_VALUE_FILE`. */
      readonly settings: readonly string[];
    }
  | { readonly kind: 'external'; readonly url: string; readonly channel: ChannelFiles };

type SettingText = (name: string) => string;

/** Settings that are keys: removed from the environment once read. */
export const SECRET_KEY_SETTINGS = ['PARCELA_KEY', 'PARCELA_KEY_FORMER'];

/** Adds faults of the settings to `faults`, for example two stores at once. No fault repeats a key. */
export function keyStoreSettings(
  text: SettingText,
  faults: string[],
  presetFile: string,
  channel: ChannelFiles,
): KeyStoreSettings {
  const stores = ['PARCELA_KEY_FILE', 'PARCELA_KEY', 'PARCELA_KEY_STORE_URL'].filter(
    (name) => text(name) !== '',
  );
  if (stores.length > 1)
    faults.push(`${stores.join(', ')}: only one key store can be set; leave the others out`);
  if (text('PARCELA_KEY_FORMER') !== '' && text('PARCELA_KEY') === '')
    faults.push(
      `${setAs(text, 'PARCELA_KEY_FORMER', 'PARCELA_KEY_FORMER_FILE')}: has no effect without PARCELA_KEY`,
    );
  if (text('PARCELA_KEY_STORE_URL') !== '') return externalStore(text, faults, channel);
  if (text('PARCELA_KEY') !== '') return environmentStore(text, faults);
  return { kind: 'file', path: text('PARCELA_KEY_FILE') || presetFile };
}

function setAs(text: SettingText, name: string, file: string): string {
  return text(file) === '' ? name : file;
}

function environmentStore(text: SettingText, faults: string[]): KeyStoreSettings {
  const setting = setAs(text, 'PARCELA_KEY', 'PARCELA_KEY_VALUE_FILE');
  const formerSetting = setAs(text, 'PARCELA_KEY_FORMER', 'PARCELA_KEY_FORMER_FILE');
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
    key: keyOf(setting, text('PARCELA_KEY')),
    formerKeys: former.map((value) => keyOf(formerSetting, value)),
    settings: former.length === 0 ? [setting] : [setting, formerSetting],
  };
}

function externalStore(text: SettingText, faults: string[], channel: ChannelFiles): KeyStoreSettings {
  const url = text('PARCELA_KEY_STORE_URL');
  const fault = channelUrlFault('PARCELA_KEY_STORE_URL', url, 'data keys');
  if (fault !== null) faults.push(fault);
  return { kind: 'external', url: url.replace(/\/+$/, ''), channel };
}
