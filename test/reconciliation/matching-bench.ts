import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { importSettlementFile } from '../../src/reconciliation/imports/import-settlement-file.ts';
import type { ImportResult } from '../../src/reconciliation/imports/settlement-file.ts';
import {
  findMissingPayouts,
  judgeDueExceptions,
} from '../../src/reconciliation/matching/judge-due-exceptions.ts';

import { type MatchTools, matchDueFile } from '../../src/reconciliation/matching/match-due-file.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { type AuditedTools, auditedTools, keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { type Auditor, openAuditor } from '../kit/service.ts';
import { type AdiqFile, type AdiqLine, writeAdiqFile } from './adiq-file.ts';

/** An installment of a sale, as the follower of movements would write it. */
export type Sold = {
  readonly transactionId: string;
  readonly merchantId: string;
  readonly installmentNumber: number;
  readonly installmentCount: number;
  readonly gross: number;
  readonly fee: number;
  readonly soldOn: string;
  readonly expectedOn: string;
  readonly authorizationCode: string;
  readonly nsu: string;
};

export type MatchingBench = {
  readonly database: TestDatabase;
  readonly pool: Database;
  readonly auditor: Auditor;
  readonly audited: AuditedTools;
  readonly tools: MatchTools;
  readonly folder: string;
  /** Writes the receivables of a sale, and gives them. */
  sell(change?: Partial<Sold> & { readonly canceled?: number; readonly tid?: string }): Promise<Sold[]>;
  file(name: string, file: AdiqFile): Promise<string>;
  take(path: string): Promise<ImportResult>;
  /** Takes a file of these lines, of a day, and matches it. */
  takeLines(day: string, lines: readonly AdiqLine[], change?: Partial<AdiqFile>): Promise<ImportResult>;
  /** All that is due, until nothing is. */
  match(): Promise<void>;
  /** Class, state and amount of all exceptions, or of one sale. */
  exceptions(transactionId?: string): Promise<unknown[][]>;
  close(): Promise<void>;
};

const MERCHANT = 'LOJA';
const NEVER = new AbortController().signal;

export async function openMatchingBench(): Promise<MatchingBench> {
  const database = await createTestDatabase({ migrated: true });
  const pool = openDatabase(database.runtime, () => {});
  const auditor = openAuditor(database.address);
  await auditor.query(
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses)
     values ($1, '11222333000181', 'Loja', 'Ana', 'ana@loja.example', '11999990000', '{}')`,
    [MERCHANT],
  );
  const folder = await mkdtemp(join(tmpdir(), 'parcela-files-'));
  rememberKeyFile(database.address.database, keyFileIn(folder));
  const audited = await auditedTools(pool);
  const tools: MatchTools = { database: pool, notifyDeliverer: () => {}, observe: () => {} };
  let made = 0;
  // No number is missing between two files, whatever their days are.
  const sequences = new Map<string, number>();
  const sequenceOf = (day: string): number => {
    const sequence = sequences.get(day) ?? sequences.size + 1;
    sequences.set(day, sequence);
    return sequence;
  };

  const take = (path: string) =>
    importSettlementFile({ ...audited, report: () => {}, notify: () => {} }, path, audited.operator);

  async function match(): Promise<void> {
    while ((await matchDueFile(tools, NEVER)) > 0);
    await findMissingPayouts(tools, NEVER);
    await judgeDueExceptions(tools, NEVER);
  }

  return {
    database,
    pool,
    auditor,
    audited,
    tools,
    folder,
    sell: (change) => sell(auditor, change),
    file: (name, file) => writeAdiqFile(folder, name, file),
    take,
    match,
    async takeLines(day, lines, change = {}) {
      made += 1;
      const file = { day, sequence: sequenceOf(day), lines, ...change };
      const path = await writeAdiqFile(folder, `EDI_020_${made}.txt`, file);
      const result = await take(path);
      assert.equal(result.kind, 'taken', JSON.stringify(result));
      await match();
      return result;
    },
    async exceptions(transactionId) {
      const rows = await auditor.query(
        `select class, state, amount::float8 as amount from reconciliation_exceptions
         where $1::uuid is null or transaction_id = $1 order by class, amount`,
        [transactionId ?? null],
      );
      return rows.map((row) => [row.class, row.state, row.amount]);
    },
    async close() {
      await pool.close();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let sales = 0;

async function sell(
  auditor: Auditor,
  change: Partial<Sold> & { readonly canceled?: number; readonly tid?: string } = {},
): Promise<Sold[]> {
  sales += 1;
  const { canceled = 0, tid = null, ...rest } = change;
  const count = rest.installmentCount ?? 1;
  const sold = Array.from(
    { length: count },
    (_, index): Sold => ({
      transactionId: randomUUID(),
      merchantId: MERCHANT,
      installmentNumber: index + 1,
      installmentCount: count,
      gross: 10_000,
      fee: 250,
      soldOn: '2026-11-02',
      expectedOn: '2026-12-02',
      authorizationCode: `A${String(sales).padStart(5, '0')}`,
      nsu: String(700_000 + sales),
      ...rest,
    }),
  );
  const transactionId = (sold[0] as Sold).transactionId;
  const whole = sold.map((each) => ({ ...each, transactionId }));
  for (const each of whole)
    await auditor.query(
      `insert into receivables (merchant_id, transaction_id, installment_number, installment_count, account_number, nsu,
         authorization_code, tid, brand, card_first_six, card_last_four, sold_at, sold_on, sale_amount, gross, canceled,
         installment_state, fee_portion, expected_fee, expected_net, expected_on)
       values ($1, $2, $3, $4, '12345-6', $5, $6, $7, 'visa', '411111', '1111', $8::date + interval '13 hours', $8::date,
         $9, $10, $11, $12, 250, $13, $14, $15)`,
      [
        each.merchantId,
        transactionId,
        each.installmentNumber,
        count,
        each.nsu,
        each.authorizationCode,
        tid,
        each.soldOn,
        each.gross * count,
        each.gross,
        canceled,
        canceled === each.gross ? 'canceled' : 'authorized',
        each.fee,
        each.gross - canceled - each.fee,
        each.expectedOn,
      ],
    );
  return whole;
}

/** The line that pays an installment as it was expected. */
export function payoutOf(sold: Sold, change: Partial<Extract<AdiqLine, { type: 'CV' }>> = {}): AdiqLine {
  return {
    type: 'CV',
    entryType: 1,
    reference: sold.transactionId.replaceAll('-', '').slice(-30),
    nsu: sold.nsu,
    authorizationCode: sold.authorizationCode,
    soldOn: sold.soldOn,
    bankOn: sold.expectedOn,
    installmentNumber: sold.installmentNumber,
    installmentCount: sold.installmentCount,
    gross: sold.gross,
    fee: sold.fee,
    ...change,
  };
}
