import type { Instant } from '../../values/instant.ts';

/** How far the changes of a merchant were read; `merchantId` null: one cursor for all merchants. */
export type FeedCursor = {
  /** The name of who reports. */
  readonly provider: string;
  readonly merchantId: string | null;
  /** Of whoever reports; null: from the beginning. */
  readonly cursor: string | null;
  /** Raised by every page that is kept. */
  readonly fence: number;
};

/** A question for the changes behind a cursor. */
export type FeedRequest = Pick<FeedCursor, 'merchantId' | 'cursor'> & {
  /** Business time: no later change is reported. */
  readonly until: Instant;
  readonly limit: number;
};

/** An item that is no change: kept for a person, with a reason of a closed set, so that it holds up none. */
export type UnreadableItem = {
  readonly reason: string;
  /** Its fields, as far as the protocol has a name for them: bounded, and nothing that could be of a card. */
  readonly item: string;
};

export type FeedPage<Change = unknown> = {
  readonly kind: 'changes';
  readonly changes: readonly Change[];
  readonly unreadable: readonly UnreadableItem[];
  /** Whether it brings anything that has an effect. */
  readonly hasNews: boolean;
  readonly cursor: string;
  /** Whether asking again at once would bring more. */
  readonly hasMore: boolean;
};

/** No clear answer, or nobody reports changes here. */
export type NoPage = { readonly kind: string; readonly reason: string };

export type FeedPace = {
  /** Between an answer and the next request. */
  readonly pauseSeconds: number;
  /** The factor of the pause after many empty answers. */
  readonly longestQuietFactor: number;
};

/** A change as it was brought, kept until it is applied or refused. */
export type WaitingChange = {
  readonly merchantId: string;
  readonly changeId: string;
  /** The order of arrival. */
  readonly changeNumber: number;
  /** How often it was tried, this time included. */
  readonly tries: number;
};
