import { until } from '../../test/kit/service.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { KindResult } from '../results.ts';
import { awaitResolved, prepareBatch, type Reach, type Scene } from '../rounds.ts';
import { report, type Suite } from '../suite.ts';
import { readBankLedger } from './bank-books.ts';
import { takeFindings } from './imports.ts';
import { type BoletoBooks, checkBoletos, readBoletoBooks } from './judge.ts';
import { BOLETO_OPERATIONS, spoilBank } from './operations.ts';

const REACH: Reach = {
  tables: ['boletos', 'boleto_payments', 'bank_changes', 'bank_cursors', 'movements', 'idempotency_keys'],
  rooms: ['boletos', 'idempotency', 'merchants'],
  ofMoney: /^(boletos|boleto_payments|bank_changes|bank_cursors)\./,
};

const BOLETO_WORDS = [
  ...['faults', 'boletos', 'issued', '4xx', '5xx', 'lost', 'of these issued', 'cancels', 'canceled'],
  ...['payments', 'paid'],
];

/** Pauses of the works behind a fault, and their leases. */
const QUIET_MILLISECONDS = 120_000;
const SHARE_OF_SPOILED_BATCHES = 0.4;

/**
 * Boletos while things break: what clients were answered, our database, and the bank's ledger.
 */
export function boletoSuite(): Suite {
  return {
    operations: BOLETO_OPERATIONS,
    hasSystems: false,
    hasBank: true,
    hasOwnLastLook: true,
    head: BOLETO_WORDS,
    reach: REACH,
    prepare: async () => {},
    prepareBatch: async (scene, round, gateway) => {
      const { bench, chance } = scene;
      await spoilBank(bench, chance, chance.isIn(SHARE_OF_SPOILED_BATCHES) ? 0.6 : 0);
      return prepareBatch(scene, round, gateway);
    },
    resolveAndCheck: async (scene: Scene, result: KindResult, rounds: string) => {
      const { bench } = scene;
      // Somebody must be there to ask the bank.
      await scene.fleet.pair();
      await spoilBank(bench, scene.chance, 0);
      await awaitResolved(bench, rounds, QUIET_MILLISECONDS);
      await until('the bank’s changes are here', () => areChangesHere(bench), QUIET_MILLISECONDS).catch(() =>
        scene.note('changes of the bank still wait'),
      );
      const books = await readBoletoBooks(bench, rounds);
      count(books, result);
      const findings = [...checkBoletos(books, rounds === ''), ...takeFindings(bench)];
      await report(findings, result);
    },
    checkDatabase: async (bench) => checkBoletos(await readBoletoBooks(bench, ''), true),
  };
}

const HERE = `select (select count(*) from boleto_payments)::int as payments,
  (select count(*) from bank_changes where state = 'waiting')::int as waiting,
  (select count(*) from boletos where state = 'canceled' and bank = 'default')::int as canceled`;

async function areChangesHere(bench: ChaosBench): Promise<boolean> {
  const ledger = await readBankLedger(bench);
  const payments = ledger.reduce((sum, boleto) => sum + boleto.payments.length, 0);
  const canceled = ledger.filter(({ status }) => status === 'canceled').length;
  const [row] = await bench.query(HERE);
  return row?.waiting === 0 && row.payments === payments && row.canceled === canceled;
}

function count({ views }: BoletoBooks, result: KindResult): void {
  for (const { entry, rows, registered } of views) {
    const { status } = entry.answers.at(-1) ?? { status: null };
    result.payments += 1;
    if (status === null) result.lost += 1;
    else if (status < 300) result.approved += 1;
    else if (status < 500) result.refused += 1;
    else result.failed += 1;
    if (status === null && registered.length > 0) result.lostButCharged += 1;
    result.cancels += entry.cancels.length;
    result.givenBack += registered.filter((boleto) => boleto.status === 'canceled').length;
    result.deliveries += rows.reduce((sum, { payments }) => sum + payments.length, 0);
    result.repeated += registered.filter((boleto) => boleto.status === 'paid').length;
  }
}
