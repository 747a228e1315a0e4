import { type SealedColumn, sealedTexts } from '../../src/keys/resealing/sealed-rows.sql.ts';
import { type WalkParts, walkTexts } from '../../src/payments/list/walk-both-ways.sql.ts';
import {
  type CursorTable,
  cursorTexts,
  type WaitingTable,
  waitingTexts,
} from '../../src/platform/feeds/feed-cursors.sql.ts';
import { type ForgottenTable, forgottenTexts } from '../../src/platform/postgres/forgetting.ts';
import { type PersonalTable, personalTexts } from '../../src/platform/postgres/personal-rows.ts';
import { type RequestTable, requestTexts } from '../../src/transactions/requests/request-queue.sql.ts';
import { type SentTable, sentTexts } from '../../src/transactions/requests/sent-requests.sql.ts';

type Parts = Readonly<Record<string, unknown>>;

/** Functions that put statements together of a description: their texts are read where it stands. */
export const MAKERS: Readonly<
  Record<string, { readonly path: string; readonly begin: string; readonly texts: (parts: Parts) => object }>
> = {
  requestQueue: {
    path: 'src/transactions/requests/request-queue.sql.ts',
    begin: 'table',
    texts: (parts) => requestTexts(parts as RequestTable),
  },
  sentRequests: {
    path: 'src/transactions/requests/sent-requests.sql.ts',
    begin: 'table',
    texts: (parts) => sentTexts(parts as SentTable),
  },
  feedCursors: {
    path: 'src/platform/feeds/feed-cursors.sql.ts',
    begin: 'name',
    texts: (parts) => cursorTexts(parts as CursorTable),
  },
  forgetting: {
    path: 'src/platform/postgres/forgetting.ts',
    begin: 'table',
    texts: (parts) => forgottenTexts(parts as ForgottenTable),
  },
  personalData: {
    path: 'src/platform/postgres/personal-rows.ts',
    begin: 'table',
    texts: (parts) => personalTexts(parts as PersonalTable),
  },
  waitingChanges: {
    path: 'src/platform/feeds/feed-cursors.sql.ts',
    begin: 'name',
    texts: (parts) => waitingTexts(parts as WaitingTable),
  },
  walkBothWays: {
    path: 'src/payments/list/walk-both-ways.sql.ts',
    begin: 'name',
    texts: (parts) => walkTexts(parts as WalkParts),
  },
  sealedTable: {
    path: 'src/keys/resealing/sealed-rows.sql.ts',
    begin: 'name',
    texts: (parts) => sealedTexts(parts as SealedColumn),
  },
};
