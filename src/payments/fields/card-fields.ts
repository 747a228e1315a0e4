import { isWebOrigin } from '../../values/web-origin.ts';
import type { CallRules } from '../../webhooks/posting/url-rules.ts';

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

/** `oursUnknown`: nobody can say whether it is a page of ours. */
export type OriginFault = 'notOrigin' | 'notSecure' | 'ours' | 'oursUnknown';

export type OriginRules = Pick<CallRules, 'takesHttp'> & {
  /** Of Parcela's pages, as the operator has named it: what a request says of it, anybody can say. */
  readonly ours: string | null;
};

export function originsFault(origins: readonly string[], rules: OriginRules): OriginFault | null {
  const faults = origins.map((origin) => originFault(origin, rules));
  return faults.find((fault) => fault !== null) ?? null;
}

/** Those on which a frame may stand today: what was put before the operator named his own is judged again. */
export function soundOrigins(origins: readonly string[], rules: OriginRules): readonly string[] {
  return origins.filter((origin) => originFault(origin, rules) === null);
}

/** `takesHttp`: where no card is real. */
function originFault(text: string, { takesHttp, ours }: OriginRules): OriginFault | null {
  if (text.length > LONGEST_ORIGIN || !isWebOrigin(text)) return 'notOrigin';
  // A shop for trials may be a page of ours: its cards are not real.
  if (takesHttp) return null;
  if (!text.startsWith('https:')) return 'notSecure';
  if (ours === null) return 'oursUnknown';
  return text === ours ? 'ours' : null;
}
