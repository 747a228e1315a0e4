import {
  listUnanswered,
  type Unanswered,
  type UnansweredKind,
} from '../recurrence/automatic/unanswered.sql.ts';
import { listRefusedChanges, type RefusedChange } from '../transactions/changes/changes.sql.ts';
import {
  listOddBankChanges,
  type OddBankChange,
} from '../transactions/methods/boleto/changes/bank-changes.sql.ts';
import {
  listUnresolvedBoletos,
  type UnresolvedBoleto,
} from '../transactions/methods/boleto/unresolved/unresolved-boletos.sql.ts';
import { listOddReceipts, type OddReceipt } from '../transactions/methods/pix/receipts/odd-receipts.sql.ts';
import {
  listUnresolvedPix,
  type UnresolvedPix,
} from '../transactions/methods/pix/unresolved/unresolved-pix.sql.ts';
import { listUnresolved, MOST_LISTED } from '../transactions/unresolved/unresolved.sql.ts';

import type { Unresolved } from '../transactions/unresolved/unresolved.ts';
import { reaisText } from '../values/cents.ts';
import { type Instant, utcText } from '../values/instant.ts';
import {
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  table,
  USUAL_LIMIT,
  visible,
} from './command.ts';

export async function runList(given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const filter = {
    merchantId: given.one('merchant'),
    olderThanMinutes: Number(given.one('older-than') ?? 0),
  };
  const limit = Number(given.one('limit') ?? USUAL_LIMIT);
  const found = [
    ...(await listUnresolved(database, filter, limit)).map(({ since, ...one }) => one),
    ...(await listUnresolvedBoletos(database, filter, limit)).map(unresolvedOf),
    ...(await listUnresolvedPix(database, filter, limit)).map(unresolvedPixOf),
    ...(await listUnanswered(database, filter, limit)).map(unansweredOf),
  ]
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .slice(0, limit);
  const names = ['ID', 'KIND', 'OF', 'MERCHANT', 'AMOUNT', 'AGE', 'TRIES', 'NEXT TRY', 'LAST REASON'];
  const rows = found.map((one) => [
    one.id,
    one.kind,
    one.origin,
    one.merchantId,
    reaisText(one.amount),
    ageText(one.createdAt),
    String(one.tries),
    utcText(one.dueAt),
    one.reason,
  ]);
  const lines = found.length === 0 ? ['Nothing is unknown.'] : table(names, rows);
  const more = found.length === limit ? [`More may follow: --limit up to ${MOST_LISTED}.`] : [];
  return { lines: [...lines, ...more], json: { items: found } };
}

export async function runChanges(given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const limit = Number(given.one('limit') ?? USUAL_LIMIT);
  const found = [
    ...(await listRefusedChanges(database, limit)).map(oddChangeOf),
    ...(await listOddBankChanges(database, limit)).map(oddBankChangeOf),
    ...(await listOddReceipts(database, limit)).map(oddReceiptOf),
  ]
    .toSorted((one, other) => other.refusedAt - one.refusedAt)
    .slice(0, limit);
  const names = ['REFUSED', 'MERCHANT', 'REASON', 'WHAT'];
  const rows = found.map((one) => [
    utcText(one.refusedAt),
    visible(one.merchantId ?? '-'),
    visible(one.reason),
    visible(one.text),
  ]);
  const lines = found.length === 0 ? ['Nothing was refused.'] : table(names, rows);
  return { lines, json: { items: found.map(({ json }) => json) } };
}

type OddChange = {
  readonly refusedAt: Instant;
  readonly merchantId: string | null;
  readonly reason: string;
  readonly text: string;
  readonly json: object;
};

function oddChangeOf(refused: RefusedChange): OddChange {
  const { refusedAt, merchantId, reason } = refused;
  return { refusedAt, merchantId, reason, text: changeText(refused), json: refused };
}

function oddBankChangeOf({ at, merchantId, reason, change, item }: OddBankChange): OddChange {
  const json = { refusedAt: at, merchantId, reason, bankChange: change, item };
  if (change === null) return { refusedAt: at, merchantId, reason, text: item ?? '', json };
  const { event, amount, ourNumber, changeId } = change;
  const cents = amount === null ? '' : ` of ${reaisText(amount)}`;
  const text = `${event}${cents}, boleto ${ourNumber} (change ${changeId} of the bank)`;
  return { refusedAt: at, merchantId, reason, text, json };
}

function oddReceiptOf({ at, bank, reason, txid, endToEndId, amount, item }: OddReceipt): OddChange {
  const pix = { bank, txid, endToEndId, amount };
  const json = { refusedAt: at, merchantId: null, reason, pix: item === null ? pix : null, item };
  if (amount === null) return { refusedAt: at, merchantId: null, reason, text: item ?? '', json };
  const text = `Pix of ${reaisText(amount)} for ${txid}, a charge that is not here (${endToEndId}, bank ${bank})`;
  return { refusedAt: at, merchantId: null, reason, text, json };
}

function changeText({ change, item }: RefusedChange): string {
  if (change === null) return item ?? '';
  const { event, amount, reference, installmentNumber, changeId } = change;
  const cents = amount === null ? '' : ` of ${reaisText(amount)}`;
  return `${event}${cents}, installment ${installmentNumber} of ${reference} (change ${changeId})`;
}

function ageText(since: Instant): string {
  const seconds = Math.max(0, Math.floor((Date.now() - since) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

const BOLETO_KINDS = { issuing: 'boleto', canceling: 'boletoCancel', changing: 'boletoDueDay' } as const;

type Listed = Omit<Unresolved, 'kind' | 'origin' | 'since'> & {
  readonly kind:
    | Unresolved['kind']
    | (typeof BOLETO_KINDS)[keyof typeof BOLETO_KINDS]
    | UnresolvedPix['kind']
    | UnansweredKind;
  readonly origin: Unresolved['origin'] | 'bank';
};

/** Only its bank can resolve a Pix. */
function unresolvedPixOf({ pixId, since, txid: _txid, ...pix }: UnresolvedPix): Listed {
  return { ...pix, id: pixId, origin: 'bank', createdAt: since };
}

/** For Pix Automático: `id` is the subscription's, or the billing's. */
function unansweredOf({ since, ...one }: Unanswered): Listed {
  return { ...one, origin: 'bank', createdAt: since };
}

/** Only the bank can resolve a boleto. */
function unresolvedOf({
  boletoId,
  state,
  since,
  merchantId,
  amount,
  tries,
  reason,
  dueAt,
}: UnresolvedBoleto): Listed {
  const kind = BOLETO_KINDS[state];
  return { kind, id: boletoId, origin: 'bank', createdAt: since, merchantId, amount, tries, reason, dueAt };
}
