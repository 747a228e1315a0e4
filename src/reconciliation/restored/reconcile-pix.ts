import { findMerchant } from '../../merchants/merchants.sql.ts';
import { newPageKey } from '../../platform/chance.ts';
import { NOT_WRITTEN } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { NO_DEADLINE } from '../../platform/postgres/deadline.ts';
import type { PixBanks } from '../../providers/open-pix-banks.ts';
import {
  type ListedPix,
  type ListedRefund,
  LONGEST_PIX_WINDOW_DAYS,
  PIX_RETURN_DAYS,
  type PixList,
  type PixReceipt,
  type PixWindow,
  type ReturnedPix,
} from '../../providers/pix/pix-bank.ts';
import { expiresAt, isTxidOfOurs, type PixKey } from '../../transactions/methods/pix/pix.ts';
import { type PixMoveRow, pixMovesWrite } from '../../transactions/methods/pix/pix-charges.sql.ts';
import { pixIntentsWrite } from '../../transactions/methods/pix/pix-intents.sql.ts';
import { moveOf, type PixChange } from '../../transactions/methods/pix/pix-move.ts';
import { handOnLost } from '../../transactions/methods/pix/receipts/odd-receipts.sql.ts';
import {
  keepReceipts,
  recordReceipt,
  WAITING_RECEIPTS,
} from '../../transactions/methods/pix/receipts/receipts.sql.ts';
import {
  refundIntentsWrite,
  refundOutcomesWrite,
} from '../../transactions/methods/pix/refunds/refunds.sql.ts';
import { type Instant, instant } from '../../values/instant.ts';
import { RESTORER } from './fill-charge.ts';
import { Stopped } from './list-charges.ts';
import type { LostPix } from './lost-pix.ts';
import { earliestWaitingPix, findKnownPix, findMissingRefunds } from './pix-books.sql.ts';

export type ReconcilePixTools = {
  readonly database: Database;
  readonly pixBanks: Pick<PixBanks, 'all' | 'of'>;
  readonly pixTimeoutMilliseconds: number;
  /** Business time. */
  readonly nowOf: (merchantId: string) => Promise<Instant>;
  /** Throws if another process may have taken over. */
  readonly mustBeHeld: () => void;
};

/** What the bank has and the books cannot take: a person must look. */
export type PixAtBank = {
  readonly bank: string;
  readonly txid: string;
  /** In cents. */
  readonly amount: number | null;
  /** `waiting`, `paid`: a charge that is not in the books. `returned`: a refund that they do not take. */
  readonly state: 'waiting' | 'paid' | 'returned';
};

/** Everything but `left` was written to the books. `brought`: charges. `left`: no more than anybody reads. */
export type RestoredPix = {
  readonly brought: number;
  readonly returned: number;
  readonly removed: number;
  readonly left: readonly PixAtBank[];
};

const DAY_MILLISECONDS = 86_400_000;
const TRIES_OF_A_PAGE = 3;
const MOST_PAGES = 100_000;
const MOST_LEFT = 1_000;
const LEASE_MILLISECONDS = 30_000;
const LEASE_OF_NOBODY_MILLISECONDS = 1;
const NOBODY_WAITS = { notify: () => {} };
/** Our txids and refund ids are ids without hyphens. */

export type AskedPix = {
  readonly since: Instant;
  readonly isDry: boolean;
  /** By txid: whose charge it is. */
  readonly lostPix: ReadonlyMap<string, LostPix>;
};

/**
 * Brings into the books what Pix banks refunded, charged and removed since `since`. Repeatable: what is there
 * stays. Received Pix come again by the feed.
 */
export async function reconcilePix(
  tools: ReconcilePixTools,
  { since, isDry, lostPix }: AskedPix,
): Promise<RestoredPix> {
  const left: PixAtBank[] = [];
  const note = (one: PixAtBank) => void (left.length < MOST_LEFT && left.push(one));
  let [brought, returned, removed] = [0, 0, 0];
  for (const bank of tools.pixBanks.all()) {
    const walk = { ...tools, bank, since, isDry, lostPix, note };
    returned += await bringRefunds(walk);
    const charges = await bringCharges(walk);
    brought += charges.brought;
    removed += charges.removed;
  }
  return { brought, returned, removed, left };
}

type Walk = ReconcilePixTools &
  AskedPix & {
    readonly bank: string;
    readonly note: (one: PixAtBank) => void;
  };

async function bringRefunds(walk: Walk): Promise<number> {
  const { pixBanks, bank, since, note } = walk;
  const from = instant(since - PIX_RETURN_DAYS * DAY_MILLISECONDS);
  let brought = 0;
  const ask = (window: PixWindow, timeout: number) => pixBanks.of(bank).listReturned(window, timeout);
  for await (const page of pagesOf(walk, from, ask)) {
    const found = page.flatMap(({ receipt, refunds }) =>
      refunds.filter(({ refundId }) => isTxidOfOurs(refundId)).map((refund) => ({ receipt, refund })),
    );
    const asked = found.map(({ receipt: { txid }, refund: { refundId } }) => ({ txid, refundId }));
    const missing =
      asked.length === 0 ? new Map<string, PixKey>() : await findMissingRefunds(walk.database, bank, asked);
    for (const { receipt, refund } of found) {
      const key = missing.get(refund.refundId);
      if (key === undefined) continue;
      if (walk.isDry || (await bringRefund(walk, key, receipt, refund))) brought += 1;
      else note({ bank, txid: receipt.txid, amount: refund.amount, state: 'returned' });
    }
  }
  return brought;
}

/** False: the books do not take it. */
async function bringRefund(
  { database, bank, nowOf, mustBeHeld }: Walk,
  key: PixKey,
  receipt: PixReceipt,
  { refundId, amount, state, requestedAt }: ListedRefund,
): Promise<boolean> {
  mustBeHeld();
  const { merchantId } = key;
  const now = await nowOf(merchantId);
  const ahead = now - Date.now();
  await keepReceipts(database, { merchantId, bank }, [receipt]);
  await applyReceipt(database, key, receipt, now);
  const intents = refundIntentsWrite(database);
  const intent = {
    ...{ ...key, refundId, amount, endToEndId: receipt.endToEndId, createdBy: RESTORER, request: null },
    ...{ requestedAt: instant(requestedAt + ahead), leaseMilliseconds: LEASE_MILLISECONDS },
  };
  const written = (await intents.write([intent], [NO_DEADLINE])).get(refundId);
  if (written === undefined || written === NOT_WRITTEN || written.kind !== 'committed') return false;
  const outcome =
    state === 'refunded'
      ? ({ event: 'confirm' } as const)
      : ({ event: 'accept', askAfterSeconds: 0 } as const);
  const outcomes = refundOutcomesWrite(database, NOBODY_WAITS);
  await outcomes.write([{ ...key, refundId, outcome, moment: now }], [NO_DEADLINE]);
  return true;
}

const WAITING_AT_ONCE = 100;

/** A receipt that the books have changes nothing. */
async function applyReceipt(
  database: Database,
  { merchantId, pixId }: PixKey,
  { endToEndId }: PixReceipt,
  now: Instant,
): Promise<void> {
  const clock = { now: () => now, unmoved: () => instant(Date.now()) };
  for (let last = 0; ; ) {
    const waiting = await WAITING_RECEIPTS.list(database, merchantId, last, WAITING_AT_ONCE);
    const found = waiting.find((one) => one.pixId === pixId && one.changeId === endToEndId);
    if (found !== undefined) return void (await recordReceipt(database, NOBODY_WAITS, clock, found));
    if (waiting.length < WAITING_AT_ONCE) return;
    last = waiting.at(-1)?.changeNumber ?? last;
  }
}

/** Charges that neither books nor log lines know are noted. */
async function bringCharges(walk: Walk): Promise<Pick<RestoredPix, 'brought' | 'removed'>> {
  const { database, pixBanks, bank, since, isDry, note } = walk;
  const from = instant(
    Math.min(since, (await earliestWaitingPix(database, bank)) ?? since) - DAY_MILLISECONDS,
  );
  let [brought, removed] = [0, 0];
  for (const isDue of [false, true]) {
    const ask = (window: PixWindow, timeout: number) => pixBanks.of(bank).listCharges(window, isDue, timeout);
    for await (const page of pagesOf(walk, from, ask)) {
      const ours = page.filter(({ txid }) => isTxidOfOurs(txid));
      const txids = ours.map(({ txid }) => txid);
      const known = ours.length === 0 ? null : await findKnownPix(database, bank, txids);
      for (const listed of ours) {
        const { txid, state, amount, createdAt } = listed;
        const here = known?.get(txid);
        if (here === undefined && state !== 'removed' && createdAt >= since) {
          if (await bringCharge(walk, listed)) brought += 1;
          else note({ bank, txid, amount, state });
        }
        if (state !== 'removed' || here?.charge?.state !== 'waiting') continue;
        if (!isDry) await bringRemoval(walk, here.charge);
        removed += 1;
      }
    }
  }
  return { brought, removed };
}

/** The services then ask the bank about it. False: its merchant or other facts are not known. */
async function bringCharge(
  walk: Walk,
  { txid, amount, createdAt, expiresInSeconds }: ListedPix,
): Promise<boolean> {
  const { database, bank, isDry, lostPix, nowOf, mustBeHeld } = walk;
  const lost = lostPix.get(txid);
  if (lost === undefined || amount === null || expiresInSeconds === null) return false;
  const { merchantId, pixId, referenceTransaction } = lost;
  const [accountNumber, another] = (await findMerchant(database, merchantId))?.accountNumbers ?? [];
  if (accountNumber === undefined || another !== undefined) return false;
  if (isDry) return true;
  mustBeHeld();
  const requestedAt = instant(createdAt + (await nowOf(merchantId)) - Date.now());
  const terms = { amount, expiresInSeconds, due: null, payer: null, description: null, referenceTransaction };
  const intent = {
    ...{ ...terms, merchantId, pixId, accountNumber, bank, txid, callbackUrl: null, split: null },
    ...{ pageKey: newPageKey(), requestedAt, expiresAt: expiresAt(terms, requestedAt) },
    ...{ createdBy: RESTORER, request: null, leaseMilliseconds: LEASE_OF_NOBODY_MILLISECONDS },
  };
  const written = (await pixIntentsWrite(database).write([intent], [NO_DEADLINE])).get(pixId);
  if (written !== 'committed') return false;
  await database.transaction((tx) => handOnLost(tx, { merchantId, pixId }));
  return true;
}

async function bringRemoval({ database, nowOf, mustBeHeld }: Walk, key: PixKey): Promise<void> {
  mustBeHeld();
  const moment = await nowOf(key.merchantId);
  const moves = pixMovesWrite(database, NOBODY_WAITS);
  for (const event of ['startRemove', 'cancel'] as const) {
    const change: PixChange = { event };
    const row: PixMoveRow = {
      ...{ merchantId: key.merchantId, pixId: key.pixId, leaseMilliseconds: LEASE_MILLISECONDS },
      decide: (held) => moveOf(held, change, moment),
    };
    await moves.write([row], [NO_DEADLINE]);
  }
}

async function* pagesOf<Item extends ListedPix | ReturnedPix>(
  { bank, pixTimeoutMilliseconds }: Walk,
  from: Instant,
  ask: (window: PixWindow, timeoutMilliseconds: number) => Promise<PixList<Item>>,
): AsyncGenerator<readonly Item[]> {
  const until = Date.now();
  for (
    let start: number = from, pages = 0;
    start <= until;
    start += LONGEST_PIX_WINDOW_DAYS * DAY_MILLISECONDS
  ) {
    const to = Math.min(until, start + LONGEST_PIX_WINDOW_DAYS * DAY_MILLISECONDS);
    for (let page = 0, hasMore = true; hasMore; page += 1, pages += 1) {
      if (pages >= MOST_PAGES) throw new Stopped(`the list of ${bank} has more than ${MOST_PAGES} pages`);
      const window = { from: instant(start), to: instant(to), page };
      const listed = await askAgain(() => ask(window, pixTimeoutMilliseconds));
      yield listed.items;
      ({ hasMore } = listed);
    }
  }
}

async function askAgain<Item>(ask: () => Promise<PixList<Item>>) {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.kind === 'listed') return answer;
    if (tries === TRIES_OF_A_PAGE) throw new Stopped(`the bank of Pix: ${answer.reason}`);
  }
}
