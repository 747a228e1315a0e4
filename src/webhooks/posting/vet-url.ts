import { Overloaded } from '../../platform/work/fair-line.ts';
import {
  type CallRules,
  type CheckedUrl,
  checkUrl,
  isAddressAllowed,
  isAddressOpened,
  isPortUsual,
  type Lookup,
  literalAddress,
  lookupFor,
  type RefusedUrl,
  type UrlFault,
  type UrlRules,
} from './url-rules.ts';

const LOOKUP_MILLISECONDS = 3_000;

/**
 * Checks the text of a URL to register and where its name leads now. Every connection looks the name up
 * again, because its owner may change it. An unknown name is refused: usually it is a typing error, and a
 * later owner would be notified of payments. Throws `Overloaded` if too many look-ups of the merchant run.
 */
export async function vetUrl(
  rules: UrlRules,
  text: string,
  merchantId: string,
): Promise<CheckedUrl | RefusedUrl> {
  const checked = checkUrl(rules, text);
  if (!checked.ok) return checked;
  const lookup = lookupFor(rules.resolver, merchantId);
  const vetted = await vetHost(rules, lookup, checked.url, AbortSignal.timeout(LOOKUP_MILLISECONDS));
  return 'fault' in vetted ? { ok: false, reason: vetted.fault } : checked;
}

/**
 * The addresses of a URL's host, if every one of them may be called: with one forbidden, the owner of the
 * name could choose that. `url` has passed `checkUrl`. Stops when the signal aborts, or after three seconds.
 * Throws `Overloaded` like `vetUrl`.
 */
export async function vetHost(
  rules: CallRules,
  lookup: Lookup,
  url: URL,
  signal: AbortSignal,
): Promise<
  | { readonly addresses: readonly string[] }
  | { readonly fault: Extract<UrlFault, 'unresolved' | 'lookupFailed' | 'address' | 'port'> }
> {
  const literal = literalAddress(url);
  const addresses = literal === null ? await lookUp(lookup, url.hostname, signal) : [literal];
  if (addresses === null) return { fault: 'lookupFailed' };
  if (addresses.length === 0) return { fault: 'unresolved' };
  if (!addresses.every((address) => isAddressAllowed(rules, address))) return { fault: 'address' };
  const mayUsePort = isPortUsual(url) || addresses.every((address) => isAddressOpened(rules, address));
  return mayUsePort ? { addresses } : { fault: 'port' };
}

/** null: no name server answered in time. */
async function lookUp(lookup: Lookup, host: string, signal: AbortSignal): Promise<readonly string[] | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MILLISECONDS)]);
  if (limit.aborted) return null;
  let giveUp = () => {};
  const late = new Promise<null>((resolve) => {
    giveUp = () => resolve(null);
    limit.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([lookup(host, limit), late]);
  } catch (error) {
    if (error instanceof Overloaded) throw error;
    return null;
  } finally {
    limit.removeEventListener('abort', giveUp);
  }
}
