import type { Link } from './link.ts';

/** `timestamp`: seconds, real time. `signature` null: the account has no secret. */
type Signed = { readonly timestamp: string; readonly signature: string | null };

/** The signed text after id and time: the status, the payment, and the merchant's reference. */
export function returnText(
  status: string,
  { paymentId, referenceTransaction }: Pick<Link, 'paymentId' | 'referenceTransaction'>,
): string {
  return `${status}.${paymentId ?? ''}.${referenceTransaction ?? ''}`;
}

export function returnAddress(
  { linkId, returnUrl, referenceTransaction, paymentId }: Link & { readonly returnUrl: string },
  status: string,
  { timestamp, signature }: Signed,
): string {
  const fields = new URLSearchParams({
    linkId,
    ...(referenceTransaction === null ? {} : { referenceTransaction }),
    status,
    ...(paymentId === null ? {} : { paymentId }),
    timestamp,
    ...(signature === null ? {} : { signature }),
  });
  return `${returnUrl}${returnUrl.includes('?') ? '&' : '?'}${fields}`;
}
