import type { Fault } from '../platform/http/endpoint.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';
import {
  type CallRules,
  checkUrl,
  normalUrl,
  URL_FAULT_SENTENCES,
  type UrlFormFault,
} from '../webhooks/posting/url-rules.ts';

const fault = (reason: UrlFormFault): RefusalShape => ({
  status: 400,
  tag: 'urlCallBack',
  sentence: URL_FAULT_SENTENCES[reason],
});

/** What may be wrong with the address for callbacks. */
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
 * Everything that can be said without looking its name up, which would keep a buyer waiting for a name server: that is done when
 * something is sent there, and a name that leads nowhere or into a private network is told in the list of deliveries.
 */
export function checkCallback(rules: CallRules, text: string): Fault[] {
  const checked = checkUrl(rules, text);
  return checked.ok ? [] : [CALLBACK_FAULTS[checked.reason]];
}

/** The address as it is kept. `text` has passed the check. */
export function callbackUrl(text: string | null): string | null {
  return text === null ? null : (normalUrl(text)?.href ?? null);
}
