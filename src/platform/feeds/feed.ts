import type { Instant } from '../../values/instant.ts';

/** `merchantId` null: one cursor for all merchants. */
export type FeedCursor = {
  readonly provider: string;
  readonly merchantId: string | null;
  /** Opaque, from the system that reports; null: from the beginning. */
  readonly cursor: string | null;
  /** Raised with each stored page. */
  readonly fence: number;
};

export type FeedRequest = Pick<FeedCursor, 'merchantId' | 'cursor'> & {
  /** Business time: no later change is reported. */
  readonly until: Instant;
  readonly limit: number;
};

export type UnreadableItem = {
  readonly reason: string;
  /** The fields that the protocol names: bounded, without possible card data. */
  readonly item: string;
};

export type FeedPage<Change = unknown> = {
  readonly kind: 'changes';
  readonly changes: readonly Change[];
  readonly unreadable: readonly UnreadableItem[];
  /** Whether the page has anything that has an effect. */
  readonly hasNews: boolean;
  readonly cursor: string;
  readonly hasMore: boolean;
};

/** No clear answer, or the provider has no feed. */
export type NoPage = { readonly kind: string; readonly reason: string };

export type FeedPace = {
  readonly pauseSeconds: number;
  /** How many times the pause the wait may become after many empty answers. */
  readonly longestQuietFactor: number;
};

export type WaitingChange = {
  readonly merchantId: string;
  readonly changeId: string;
  readonly changeNumber: number;
  /** Includes this attempt. */
  readonly tries: number;
};
