/** The fields of a card that a merchant puts on pages of his own, in a frame of ours. */
export type CardFields = {
  readonly merchantId: string;
  /** In the address of the frame, which anybody may read. */
  readonly pageKey: string;
  /** Where the frame may stand; none: nowhere. */
  readonly origins: readonly string[];
};

export const MOST_ORIGINS = 10;
/** So that an entry of the audit log has them whole. */
export const LONGEST_ORIGIN = 150;

export type OriginFault = 'notOrigin' | 'notSecure';

/** As browsers name it, since they compare it by its letters. `takesHttp`: where no card is real. */
export function originFault(
  text: string,
  { takesHttp }: { readonly takesHttp: boolean },
): OriginFault | null {
  const url = URL.parse(text);
  // A policy of browsers cannot name an address of IPv6.
  if (text.length > LONGEST_ORIGIN || url === null || url.origin !== text || url.hostname.startsWith('['))
    return 'notOrigin';
  if (url.protocol === 'https:') return null;
  return url.protocol === 'http:' && takesHttp ? null : 'notSecure';
}
