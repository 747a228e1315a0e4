import { until } from '../../test/kit/service.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Finding } from '../judge/finding.ts';
import type { KindResult } from '../results.ts';
import { awaitResolved, prepareBatch, type Reach, type Scene } from '../rounds.ts';
import { report, type Stage, type Suite } from '../suite.ts';
import { numberOf } from '../webhooks/notified-view.ts';
import { DELIVERY_INVARIANTS, indexOf } from '../webhooks/of-deliveries.ts';
import { type Registration, registerAgain, registerAll } from '../webhooks/registrations.ts';
import { centsIn, orderOfPixBank, readPixLedger } from './bank-ledger.ts';
import { type FedBefore, type PixBooks, type Reading, readPixBooks } from './books.ts';
import { deskOf } from './client.ts';
import { checkPix } from './judge.ts';
import { openNoticeProxy, registerNotices } from './notices.ts';
import { PIX_OPERATIONS, spoilPixBank } from './operations.ts';
import { PAY_IN_SERIES } from './series/operation.ts';
import { SERIES_PREFIX } from './series/series.ts';
import { type JudgedSeries, judgeSeries, lookAtSeriesAgain } from './series/settle.ts';

const REACH: Reach = {
  tables: [
    ...['pix_charges', 'pix_payments', 'pix_refunds', 'pix_receipts', 'pix_cursors', 'movements'],
    ...['idempotency_keys', 'deliveries', 'delivery_tries'],
    ...['pix_authorizations', 'pix_collections', 'collected_pix_receipts', 'subscriptions', 'billings'],
    ...['billing_charges', 'merchant_clocks'],
  ],
  rooms: ['transactions/methods/pix', 'idempotency', 'merchants', 'webhooks', 'recurrence'],
  ofMoney: /^(pix_\w+|payments|billings|charging|subscriptions)\./,
};

const PIX_WORDS = [
  ...['faults', 'Pix', 'made', '4xx', '5xx', 'lost', 'of these made', 'wishes', 'given back'],
  ...['arrived', 'paid'],
];

/** Pauses of the works behind a fault, and their leases. */
const QUIET_MILLISECONDS = 120_000;
const SHARE_OF_SPOILED_BATCHES = 0.4;

/** Pix while things break: what merchants were told, what they read, and the bank's ledger. */
export function pixSuite(): Suite {
  const fed: FedBefore = new Map();
  const compared = new Set<number>();
  let registrations: readonly Registration[] = [];
  let stage: Stage | null = null;

  const readingOf = ({ bench, till, fleet }: Stage): Reading => {
    return { bench, fleet, registrations, fed, desk: deskOf(till) };
  };

  return {
    operations: [...PIX_OPERATIONS, PAY_IN_SERIES],
    hasSystems: true,
    hasPixBank: true,
    hasOwnLastLook: true,
    head: PIX_WORDS,
    reach: REACH,
    prepare: async (opened) => {
      stage = opened;
      const { bench, fleet } = opened;
      const [gateway] = await fleet.pair();
      for (const system of bench.systems) system.be('well');
      registrations = await registerAll(bench, gateway);
      await registerNotices(bench, await openNoticeProxy(fleet));
    },
    prepareBatch: async (scene, round, gateway) => {
      const { bench, chance } = scene;
      await spoilPixBank(bench, chance, chance.isIn(SHARE_OF_SPOILED_BATCHES) ? 0.5 : 0);
      return prepareBatch(scene, round, gateway);
    },
    resolveAndCheck: async (scene: Scene, result: KindResult, rounds: string) => {
      const { bench } = scene;
      // Somebody must be there to ask the bank.
      const [gateway] = await scene.fleet.pair();
      await spoilPixBank(bench, scene.chance, 0);
      await awaitResolved(bench, rounds, QUIET_MILLISECONDS);
      await registerAgain(bench, gateway);
      await until('all is here', () => isAllHere(bench), QUIET_MILLISECONDS).catch(() =>
        scene.note('something of the bank still waits'),
      );
      const series = await judgeSeries(scene, rounds);
      const books = await readPixBooks(readingOf(scene), rounds);
      count(books, result);
      countSeries(series, result);
      const ofSeries = series.flatMap(({ findings }) => findings);
      await report([...ofSeries, ...checkPix(books), ...checkNotified(books, compared)], result);
      for (const { number } of books.notified.deliveries) compared.add(number);
      for (const system of bench.systems) {
        system.startAnew();
        system.be('well');
      }
    },
    checkDatabase: async () => {
      const { bench, fleet } = stage as Stage;
      const again = await lookAtSeriesAgain(bench, async () => (await fleet.pair())[0]);
      return [...again, ...checkPix(await readPixBooks(readingOf(stage as Stage), ''))];
    },
  };
}

/** A process that wakes late may send again what was compared before. */
function checkNotified({ notified }: PixBooks, compared: ReadonlySet<number>): Finding[] {
  const isNew = ({ id }: { readonly id: string }) => !compared.has(numberOf(id) ?? 0);
  const books = indexOf({ ...notified, arrivals: notified.arrivals.filter(isNew) });
  const findings: Finding[] = [];
  for (const { name, check } of DELIVERY_INVARIANTS)
    check(books, (reference, text) => findings.push({ invariant: name, reference, text }));
  return findings;
}

/** What is of series has judges of its own. */
const WAITING = `select (select count(*) from pix_payments where not starts_with(merchant_id, '${SERIES_PREFIX}'))::int as payments,
  (select coalesce(sum(returned_amount), 0) from pix_payments
   where not starts_with(merchant_id, '${SERIES_PREFIX}'))::float8 as returned,
  (select count(*) from pix_receipts where state = 'waiting')::int
    + (select count(*) from pix_refunds where state in ('refunding', 'pending'))::int
    + (select count(*) from pix_charges where due_at is not null or acts_at <= now())::int
    + (select count(*) from deliveries where state = 'waiting' and kind in ('movement', 'callback'))::int as waiting`;

/** Without pauses of minutes and hours; what is doubted is looked at once more. */
const HURRY = [
  "update pix_refunds set due_at = now() where state = 'pending' and due_at > now() + interval '1 second'",
  `update pix_refunds set due_at = now(), refused_at = refused_at - interval '5 minutes'
   where state = 'refunding' and refused_at > now() - interval '5 minutes'`,
  "update pix_receipts set due_at = now() where state = 'waiting' and due_at > now() + interval '5 seconds'",
  "update pix_return_cursors set due_at = now() where due_at > now() + interval '5 seconds'",
] as const;

/** What a bank takes away by itself is known here at the end of its time. */
const END_OF_REMOVED =
  "update pix_charges set acts_at = now() where txid = any($1) and state = 'waiting' and acts_at > now()";

/** The bank ends what it was still carrying out. */
async function isAllHere(bench: ChaosBench): Promise<boolean> {
  const { arrived, charges } = await readPixLedger(bench);
  const removed = charges.filter(({ status }) => status === 'REMOVIDA_PELO_PSP').map(({ txid }) => txid);
  await bench.query(END_OF_REMOVED, [removed]);
  for (const { endToEndId, devolucoes = [] } of arrived)
    for (const { id, status } of devolucoes)
      if (status === 'EM_PROCESSAMENTO')
        await orderOfPixBank(bench, 'refunds', { endToEndId, id, status: 'DEVOLVIDO' });
  for (const text of HURRY) await bench.query(text);
  const [row] = await bench.query(WAITING);
  const returned = arrived
    .flatMap(({ devolucoes = [] }) => devolucoes)
    .reduce((sum, { status, valor }) => sum + (status === 'DEVOLVIDO' ? centsIn(valor) : 0), 0);
  return row?.waiting === 0 && row.payments === arrived.length && row.returned === returned;
}

function count({ views }: PixBooks, result: KindResult): void {
  for (const { entry, pix } of views) {
    const { status } = entry.answers.at(-1) ?? { status: null };
    const arrived = pix.flatMap((one) => one.arrived);
    result.payments += 1;
    if (status === null) result.lost += 1;
    else if (status < 300) result.approved += 1;
    else if (status < 500) result.refused += 1;
    else result.failed += 1;
    if (status === null && pix.some(({ atBank }) => atBank !== null)) result.lostButCharged += 1;
    result.cancels += entry.backs.length;
    result.givenBack += arrived.flatMap(({ devolucoes = [] }) => devolucoes).length;
    result.deliveries += arrived.length;
    result.repeated += pix.filter(({ shown }) => shown?.paidAmount != null).length;
  }
}

function countSeries(judged: readonly JudgedSeries[], result: KindResult): void {
  for (const { books } of judged) {
    const { answers, backs } = books.series;
    const { status } = answers.at(-1) ?? { status: null };
    result.payments += 1;
    if (status === null) result.lost += 1;
    else if (status < 300) result.approved += 1;
    else if (status < 500) result.refused += 1;
    else result.failed += 1;
    if (status === null && books.bank.recs.length > 0) result.lostButCharged += 1;
    result.cancels += backs.length;
    result.givenBack += books.bank.arrived.flatMap(({ devolucoes = [] }) => devolucoes).length;
    result.deliveries += books.bank.arrived.length;
    result.repeated += books.billings.filter(({ state }) => state === 'paid').length;
  }
}
