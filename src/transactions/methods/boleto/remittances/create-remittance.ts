import { createHash } from 'node:crypto';
import { writeRemittance } from '#settlement-files';
import type { Actor, Audit } from '../../../../audit/audit-event.ts';
import type { Database, Tx } from '../../../../platform/postgres/database.ts';
import { readAgreement } from '../../../../providers/banks/adapters/remittance/remittance-bank.ts';
import {
  fileDay,
  type RemittanceAgreement,
  remittanceOrder,
} from '../../../../providers/banks/adapters/remittance/remittance-order.ts';
import {
  keepRemittance,
  type LeftOut,
  leaveOut,
  listRemittances,
  takeInstructions,
} from '../../../../providers/banks/remittances/remittances.sql.ts';
import { listProviders } from '../../../../providers/providers.sql.ts';
import { freeFieldOf } from '../../../../values/bar-code.ts';
import type { Day } from '../../../../values/instant.ts';
import { type FiledOrder, readFiledOrders } from './filed-orders.sql.ts';

/** The most instructions of one file. What is more goes into the next. */
const MOST_INSTRUCTIONS = 20_000;

export type MadeRemittance = {
  readonly number: number;
  readonly madeOn: Day;
  readonly instructions: number;
  readonly bytes: Uint8Array;
};

type Tools = { readonly database: Database; readonly audit: Audit };

type NoAgreement =
  | { readonly kind: 'unknownBank' }
  /** A sentence. */
  | { readonly kind: 'agreementFault'; readonly fault: string };

export type RemittanceResult =
  /** `leftOut`: instructions that cannot be written, and go on waiting. */
  | {
      readonly kind: 'written';
      readonly remittance: MadeRemittance;
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly kind: 'nothingWaits'; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'unknownNumber' | 'changedSince' }
  | NoAgreement;

/**
 * Takes the instructions that wait, `most` at once, into the bank's next file. Each of them is in that file
 * and in no other, however often the file is written.
 */
export async function createRemittance(
  { database, audit }: Tools,
  bank: string,
  madeOn: Day,
  operator: Actor,
  most: number = MOST_INSTRUCTIONS,
): Promise<RemittanceResult> {
  const agreed = await findAgreement(database, bank);
  if ('kind' in agreed) return agreed;
  return audit.transaction(async (tx): Promise<RemittanceResult> => {
    const { number, taken, leftOut } = await fillFile(tx, agreed, { bank, madeOn, most });
    await leaveOut(tx, bank, number, leftOut);
    const orders = leftOut.length === 0 ? taken : await readFiledOrders(tx, bank, number);
    if (orders.length === 0) return { kind: 'nothingWaits', leftOut };
    const bytes = contentOf(agreed, number, madeOn, orders);
    await keepRemittance(tx, { bank, number, madeOn, hash: hashOf(bytes), createdBy: operator.actor });
    tx.record({
      ...operator,
      action: 'remittance.make',
      outcome: 'success',
      resource: `providers/bank/${bank}/remittances/${number}`,
      detail: { instructions: orders.length },
    });
    return { kind: 'written', remittance: { number, madeOn, instructions: orders.length, bytes }, leftOut };
  });
}

/** Instructions that cannot be written stay the oldest that wait, and take no room from those behind them. */
async function fillFile(
  tx: Tx,
  agreed: RemittanceAgreement,
  { bank, madeOn, most }: { readonly bank: string; readonly madeOn: Day; readonly most: number },
) {
  const { code, numberLength } = agreed.bank;
  let taken: readonly FiledOrder[] = [];
  let leftOut: readonly LeftOut[] = [];
  for (;;) {
    const room = most - (taken.length - leftOut.length);
    const number = await takeInstructions(tx, { name: bank, code, numberLength }, room);
    const sofar = taken.length;
    taken = await readFiledOrders(tx, bank, number);
    if (taken.length === sofar) return { number, taken, leftOut };
    leftOut = unfitOf(agreed, number, madeOn, taken);
  }
}

/** Writes the same bytes again, for a file that did not reach its folder or was lost. */
export async function rewriteRemittance(
  { database, audit }: Tools,
  bank: string,
  number: number,
  operator: Actor,
): Promise<RemittanceResult> {
  const agreed = await findAgreement(database, bank);
  if ('kind' in agreed) return agreed;
  const [stored] = await listRemittances(database, { bank, number }, 1);
  if (stored === undefined) return { kind: 'unknownNumber' };
  const { madeOn, contentHash } = stored;
  const orders = await readFiledOrders(database, bank, number);
  const bytes = contentAsNow(agreed, number, madeOn, orders);
  if (typeof bytes === 'string' || !hashOf(bytes).equals(contentHash)) return { kind: 'changedSince' };
  await audit.record({
    ...operator,
    action: 'remittance.read',
    outcome: 'success',
    resource: `providers/bank/${bank}/remittances/${number}`,
  });
  const remittance = { number, madeOn, instructions: orders.length, bytes };
  return { kind: 'written', remittance, leftOut: [] };
}

async function findAgreement(database: Database, name: string): Promise<RemittanceAgreement | NoAgreement> {
  const provider = (await listProviders(database)).find((one) => one.kind === 'bank' && one.name === name);
  if (provider?.adapter !== 'remessa') return { kind: 'unknownBank' };
  const agreement = readAgreement(provider.settings);
  return typeof agreement === 'string' ? { kind: 'agreementFault', fault: agreement } : agreement;
}

function contentOf(
  { bank, agreement }: RemittanceAgreement,
  number: number,
  madeOn: Day,
  orders: readonly FiledOrder[],
): Uint8Array {
  const filed = orders.map(
    ({ kind, bankNumber, payer, discountAmount: amount, discountUntil: until, ...terms }) => {
      const discount = amount === null || until === null ? null : { amount, until };
      return remittanceOrder({ ...terms, discount, payer: payer ?? ERASED }, { kind, bankNumber });
    },
  );
  return writeRemittance(bank, { agreement, number, madeOn: fileDay(madeOn), orders: filed });
}

/** The file's bytes, or a sentence: the bank or layout of now has no room for an order. */
function contentAsNow(...of: Parameters<typeof contentOf>): Uint8Array | string {
  try {
    return contentOf(...of);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/**
 * The orders that cannot be written, because settings may have changed since their boletos were issued. They
 * hold up no other.
 */
function unfitOf(...[agreed, number, madeOn, orders]: Parameters<typeof contentOf>): LeftOut[] {
  const isWhole = typeof contentAsNow(agreed, number, madeOn, orders) !== 'string';
  return orders.flatMap((order) => {
    const content = () => (isWhole ? null : contentAsNow(agreed, number, madeOn, [order]));
    const reason = otherAgreementOf(agreed, order) ?? content();
    return typeof reason === 'string' ? [{ kind: order.kind, ourNumber: order.ourNumber, reason }] : [];
  });
}

/**
 * Why an order cannot be written under this agreement: its printed bar code cannot be paid under another one.
 * Null: it can be.
 */
function otherAgreementOf(
  { bank, agreement }: RemittanceAgreement,
  { barCode, bankNumber }: FiledOrder,
): string | null {
  const isOther = barCode !== null && freeFieldOf(barCode) !== bank.freeField(bankNumber, agreement);
  return isOther ? `its bar code has another agreement with bank ${bank.code}` : null;
}

/** A payer who was erased before the boleto was written off. */
const ERASED = {
  name: '',
  documentNumber: '00000000000',
  email: null,
  address: {
    ...{ street: '', number: '', complement: null, district: '', city: '', state: '' },
    zipCode: '00000000',
  },
};

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
