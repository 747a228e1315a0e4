import type { Fault } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import { type CallRules, checkUrl, normalUrl, URL_FAULT_SENTENCES, type UrlFormFault } from './url-rules.ts';

const fault = (reason: UrlFormFault): RefusalShape => ({
  status: 400,
  tag: 'urlCallBack',
  sentence: URL_FAULT_SENTENCES[reason],
});

export const CALLBACK_FAULTS: Readonly<Record<UrlFormFault, RefusalShape>> = {
  tooLong: fault('tooLong'),
  malformed: fault('malformed'),
  scheme: fault('scheme'),
  userInfo: fault('userInfo'),
  fragment: fault('fragment'),
  name: fault('name'),
  port: fault('port'),
  address: fault('address'),
};

/**
 * The checks without a look-up of the name, which would keep a buyer waiting for a name server: the
 * name is looked up before each delivery, and the list of deliveries shows a name that leads
 * nowhere or into a private network.
 */
export function checkCallback(rules: CallRules, text: string): Fault[] {
  const checked = checkUrl(rules, text);
  return checked.ok ? [] : [CALLBACK_FAULTS[checked.reason]];
}

/** The address as it is kept. `text` has passed the check. */
export function callbackUrl(text: string | null): string | null {
  return text === null ? null : (normalUrl(text)?.href ?? null);
}
