import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto';
import { open } from 'node:fs/promises';
import { listCardsBehind } from '../../cards/vault/moving-cards.sql.ts';
import { type VaultCard, vaultCardRecord } from '../../cards/vault/vault-card.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { writePlan } from '../../recurrence/plans/contract.ts';
import { listPlanPage } from '../../recurrence/plans/plans.sql.ts';
import { listMovingSubscriptions } from '../../recurrence/subscriptions/moving-subscriptions.sql.ts';

export type ExportTools = { readonly database: Database; readonly keyring: Keyring };

export type WantedExport = {
  readonly merchantId: string;
  /** Whose the encrypted cards are where they go. */
  readonly receiverId: string;
  readonly key: KeyObject;
  readonly path: string;
};

export type ExportReport = {
  readonly plans: number;
  readonly cards: number;
  readonly subscriptions: number;
  /** Cards whose sealed number does not open. */
  readonly unreadable: readonly string[];
};

const LEAST_BITS = 2_048;
const PAGE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** SPKI, as PEM or in base64 on one line. Null: it is no RSA key, or too small. */
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

/** Lines as `parcela import` takes them, into a new file that its owner alone reads. */
export async function exportFile(tools: ExportTools, wanted: WantedExport): Promise<ExportReport> {
  const file = await open(wanted.path, 'wx', 0o600);
  const counts = { plans: 0, cards: 0, subscriptions: 0 };
  const unreadable: string[] = [];
  try {
    for await (const { kind, row } of rowsOf(tools, wanted, unreadable)) {
      await file.write(`${JSON.stringify(row)}\n`);
      counts[kind] += 1;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { ...counts, unreadable };
}

type Line = { readonly kind: 'plans' | 'cards' | 'subscriptions'; readonly row: object };

async function* rowsOf(
  { database, keyring }: ExportTools,
  { merchantId, receiverId, key }: WantedExport,
  unreadable: string[],
): AsyncGenerator<Line> {
  const order = { field: 'planId', isDescending: false } as const;
  for (let page = 1; ; page += 1) {
    const wanted = { page, limit: PAGE, order };
    const { items } = await listPlanPage(database, merchantId, { name: '', state: null }, wanted);
    for (const plan of items) yield { kind: 'plans', row: { type: 'plan', ...writePlan(plan) } };
    if (items.length < PAGE) break;
  }
  for (let behind = FIRST_ID; ; ) {
    const cards = await listCardsBehind(database, merchantId, behind, PAGE);
    for (const card of cards) {
      const number = await keyring.open('card', vaultCardRecord(merchantId, card.vaultId), card.number);
      if (number === null) unreadable.push(card.vaultId);
      else yield { kind: 'cards', row: writeCard(card, number.toString('latin1'), receiverId, key) };
    }
    behind = cards.at(-1)?.vaultId ?? behind;
    if (cards.length < PAGE) break;
  }
  for (let behind = FIRST_ID; ; ) {
    const rows = await listMovingSubscriptions(database, merchantId, behind, PAGE);
    for (const { subscriptionId: id, chargeOn, installment, customer, ...row } of rows) {
      const due = { firstDueOn: chargeOn, installmentsPaid: installment - 1 };
      yield { kind: 'subscriptions', row: { type: 'subscription', id, ...row, ...due, customer } };
    }
    const last = rows.at(-1)?.subscriptionId;
    if (last === undefined) break;
    behind = last;
  }
}

function writeCard(card: VaultCard, cardNumber: string, merchantId: string, key: KeyObject): object {
  const { vaultId, brand, holderName, expirationMonth, expirationYear, networkTransactionId } = card;
  const inside = JSON.stringify({ cardNumber, merchantId, createdAt: new Date().toISOString() });
  const padding = { key, oaepHash: 'sha256', padding: constants.RSA_PKCS1_OAEP_PADDING };
  const encryptedCard = publicEncrypt(padding, Buffer.from(inside, 'utf8')).toString('base64');
  const shown = { brand, cardholderName: holderName, expirationMonth, expirationYear };
  return { type: 'card', vaultId, encryptedCard, ...shown, networkTransactionId };
}
