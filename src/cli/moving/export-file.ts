import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { listCardsBehind } from '../../cards/vault/moving-cards.sql.ts';
import { type VaultCard, vaultCardRecord } from '../../cards/vault/vault-card.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { writePlan } from '../../recurrence/plans/contract.ts';
import type { Terms } from '../../recurrence/plans/plan.ts';
import { isSameTerms } from '../../recurrence/plans/plan-edit.ts';
import { listPlanPage } from '../../recurrence/plans/plans.sql.ts';
import {
  listMovingSubscriptions,
  type MovingSubscriptionRow,
} from '../../recurrence/subscriptions/moving-subscriptions.sql.ts';
import { type Day, saoPauloDay } from '../../values/instant.ts';
import { findRegisteredWebhook } from '../../webhooks/endpoints/moving-webhooks.sql.ts';
import { dayFaults } from './row-faults.ts';

export type ExportTools = {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: BusinessClock;
};

export type WantedExport = {
  readonly merchant: Merchant;
  /** The encrypted cards belong to this merchant at the receiving gateway. */
  readonly receiverId: string;
  readonly key: KeyObject;
  readonly path: string;
};

export type ExportReport = {
  readonly merchants: number;
  readonly webhooks: number;
  readonly plans: number;
  readonly cards: number;
  readonly subscriptions: number;
  /** Cards whose sealed number does not open. */
  readonly unreadable: readonly string[];
  readonly leftOut: readonly LeftOut[];
};

export type LeftOut = { readonly subscriptionId: string; readonly why: keyof typeof WHY_LEFT_OUT };

export const WHY_LEFT_OUT = {
  charging: 'is being charged: export again when that has ended',
  otherTerms: 'was enrolled under other terms than its plan has now: it needs a plan of its own there',
  nothingOpen: 'owes nothing next',
  lateCharge:
    'is charged next on a day that is past, or after its next due day: export again when that has ended',
};

const LEAST_BITS = 2_048;
const PAGE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** SPKI, as PEM or in base64 on one line. Null: no RSA key, or too small. */
export function readReceiverKey(text: string): KeyObject | null {
  try {
    const der = { key: Buffer.from(text.trim(), 'base64'), format: 'der', type: 'spki' } as const;
    const key = createPublicKey(text.includes('-----BEGIN') ? text : der);
    const isStrong = (key.asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_BITS;
    return key.asymmetricKeyType === 'rsa' && isStrong ? key : null;
  } catch {
    return null;
  }
}

/**
 * Writes lines as `parcela import` takes them, into a new file that only its owner may read. Half a file
 * would look complete, so it gets its name only when whole.
 */
export async function exportFile(tools: ExportTools, wanted: WantedExport): Promise<ExportReport> {
  const part = `${wanted.path}.part`;
  const file = await open(part, 'wx', 0o600);
  const counts = { merchants: 0, webhooks: 0, plans: 0, cards: 0, subscriptions: 0 };
  const missing: Missing = { unreadable: [], leftOut: [] };
  try {
    for await (const { kind, row } of rowsOf(tools, wanted, missing)) {
      await file.write(`${JSON.stringify(row)}\n`);
      counts[kind] += 1;
    }
    await file.sync();
    // Unlike a rename, a link replaces no other file.
    await link(part, wanted.path);
  } finally {
    await file.close();
    await rm(part);
  }
  return { ...counts, ...missing };
}

type Missing = { readonly unreadable: string[]; readonly leftOut: LeftOut[] };

type Line = {
  readonly kind: 'merchants' | 'webhooks' | 'plans' | 'cards' | 'subscriptions';
  readonly row: object;
};

async function* rowsOf(tools: ExportTools, wanted: WantedExport, missing: Missing): AsyncGenerator<Line> {
  const terms = new Map<string, Terms>();
  yield { kind: 'merchants', row: writeMerchant(wanted) };
  yield* webhooksOf(tools, wanted);
  yield* plansOf(tools, wanted, terms);
  yield* cardsOf(tools, wanted, missing);
  yield* subscriptionsOf(tools, wanted, terms, missing);
}

/** The merchant's rights and dates here are not for another gateway. */
function writeMerchant({ merchant, receiverId: merchantId }: WantedExport): object {
  const { cnpj, legalName, contact, accountNumbers, productionAddresses } = merchant;
  const { softDescriptor, businessAddress } = merchant;
  const registered = { merchantId, cnpj, legalName, contact, accountNumbers, productionAddresses };
  return { type: 'merchant', ...registered, softDescriptor, businessAddress };
}

/** The webhooks without their logins, which are never shown again. */
async function* webhooksOf({ database }: ExportTools, { merchant }: WantedExport): AsyncGenerator<Line> {
  for (const accountNumber of merchant.accountNumbers) {
    const found = await findRegisteredWebhook(database, merchant.merchantId, accountNumber);
    if (found === null || found.state === 'removed') continue;
    yield { kind: 'webhooks', row: { type: 'webhook', accountNumber, url: found.url } };
  }
}

async function* plansOf(
  { database }: ExportTools,
  { merchant: { merchantId } }: WantedExport,
  terms: Map<string, Terms>,
): AsyncGenerator<Line> {
  const order = { field: 'planId', isDescending: false } as const;
  for (let page = 1; ; page += 1) {
    const wanted = { page, limit: PAGE, order };
    const { items } = await listPlanPage(database, merchantId, { name: '', state: null }, wanted);
    for (const plan of items) {
      terms.set(plan.planId, plan.terms);
      yield { kind: 'plans', row: { type: 'plan', ...writePlan(plan) } };
    }
    if (items.length < PAGE) return;
  }
}

async function* cardsOf(
  { database, keyring }: ExportTools,
  { merchant: { merchantId }, receiverId, key }: WantedExport,
  { unreadable }: Missing,
): AsyncGenerator<Line> {
  for (let behind = FIRST_ID; ; ) {
    const cards = await listCardsBehind(database, merchantId, behind, PAGE);
    for (const card of cards) {
      const number = await keyring.open('card', vaultCardRecord(merchantId, card.vaultId), card.number);
      if (number === null) unreadable.push(card.vaultId);
      else yield { kind: 'cards', row: writeCard(card, number.toString('latin1'), receiverId, key) };
    }
    behind = cards.at(-1)?.vaultId ?? behind;
    if (cards.length < PAGE) return;
  }
}

async function* subscriptionsOf(
  { database, clock }: ExportTools,
  { merchant: { merchantId } }: WantedExport,
  terms: ReadonlyMap<string, Terms>,
  { leftOut }: Missing,
): AsyncGenerator<Line> {
  const today = saoPauloDay(clock.now(merchantId));
  for (let behind = FIRST_ID; ; ) {
    const rows = await listMovingSubscriptions(database, merchantId, behind, PAGE);
    for (const row of rows) {
      const { subscriptionId } = row;
      const why = whyLeftOut(row, terms.get(row.planId), today);
      if (why === null) yield { kind: 'subscriptions', row: writeSubscription(row) };
      else leftOut.push({ subscriptionId, why });
    }
    behind = rows.at(-1)?.subscriptionId ?? behind;
    if (rows.length < PAGE) return;
  }
}

/** A plan made after the export began has no terms here. */
function whyLeftOut(
  row: MovingSubscriptionRow,
  ofPlan: Terms | undefined,
  today: Day,
): LeftOut['why'] | null {
  if (row.isCharging) return 'charging';
  if (row.installment === null) return 'nothingOpen';
  if (ofPlan === undefined || !isSameTerms(row.terms, ofPlan)) return 'otherTerms';
  return dayFaults(owedNext(row), row.terms, today).length > 0 ? 'lateCharge' : null;
}

/** A series follows its due days: a retry does not move it. */
function owedNext({ dueOn: firstDueOn, chargeOn, chargesMade }: MovingSubscriptionRow) {
  return chargeOn === firstDueOn
    ? { firstDueOn, chargeOn: null, chargesMade: 0 }
    : { firstDueOn, chargeOn, chargesMade: chargesMade ?? 0 };
}

function writeSubscription(row: MovingSubscriptionRow): object {
  const { subscriptionId: id, planId, vaultId, orderNumber, accountNumber, customer } = row;
  const { firstDueOn, ...retry } = owedNext(row);
  const due = { firstDueOn, installmentsPaid: (row.installment ?? 1) - 1 };
  return {
    type: 'subscription',
    id,
    planId,
    vaultId,
    orderNumber,
    accountNumber,
    ...due,
    ...(retry.chargeOn !== null && retry),
    customer,
  };
}

function writeCard(card: VaultCard, cardNumber: string, merchantId: string, key: KeyObject): object {
  const { vaultId, brand, holderName, expirationMonth, expirationYear, networkReference } = card;
  const { transactionId: networkTransactionId, linkId: transactionLinkId } = networkReference;
  const inside = JSON.stringify({ cardNumber, merchantId, createdAt: new Date().toISOString() });
  const padding = { key, oaepHash: 'sha256', padding: constants.RSA_PKCS1_OAEP_PADDING };
  const encryptedCard = publicEncrypt(padding, Buffer.from(inside, 'utf8')).toString('base64');
  const shown = { brand, cardholderName: holderName, expirationMonth, expirationYear };
  return { type: 'card', vaultId, encryptedCard, ...shown, networkTransactionId, transactionLinkId };
}
