import { isWebOrigin } from '../../values/web-origin.ts';
import type { CallRules } from '../../webhooks/posting/url-rules.ts';

/** The card fields that a merchant embeds into its own pages, in a frame of ours. */
export type CardFields = {
  readonly merchantId: string;
  /** In the address of the frame, which anybody may read. */
  readonly pageKey: string;
  /** Origins of the pages in which the frame may stand; empty: in none. */
  readonly origins: readonly string[];
};

export const MOST_ORIGINS = 10;
/** Characters of an origin: few enough for an entry of the audit log. */
export const LONGEST_ORIGIN = 150;

/** `oursUnknown`: it is unknown whether this is a page of ours. */
export type OriginFault = 'notOrigin' | 'notSecure' | 'ours' | 'oursUnknown';

export type OriginRules = Pick<CallRules, 'takesHttp'> & {
  /** The origin of Parcela's pages by the settings: anybody can forge that of a request. */
  readonly ours: string | null;
};

export function originsFault(origins: readonly string[], rules: OriginRules): OriginFault | null {
  const faults = origins.map((origin) => originFault(origin, rules));
  return faults.find((fault) => fault !== null) ?? null;
}

/**
 * Origins on which a frame may stand today. Older ones are judged again, because the operator may have set
 * `ours` later.
 */
export function soundOrigins(origins: readonly string[], rules: OriginRules): readonly string[] {
  return origins.filter((origin) => originFault(origin, rules) === null);
}

/** Why an origin is refused; null: it is not. `takesHttp`: set where no card is real. */
function originFault(text: string, { takesHttp, ours }: OriginRules): OriginFault | null {
  if (text.length > LONGEST_ORIGIN || !isWebOrigin(text)) return 'notOrigin';
  // A shop for trials may be a page of ours: its cards are not real.
  if (takesHttp) return null;
  if (!text.startsWith('https:')) return 'notSecure';
  if (ours === null) return 'oursUnknown';
  return text === ours ? 'ours' : null;
}
