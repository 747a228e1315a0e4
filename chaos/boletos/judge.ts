import type { ChaosBench } from '../chaos-bench.ts';
import type { Finding } from '../judge/finding.ts';
import type { Answered } from '../log.ts';
import { type BankBoleto, readBankLedger } from './bank-books.ts';
import { type BoletoEntry, deskOf } from './client.ts';

type Payment = { readonly amount: number; readonly paidOn: string };

/** A boleto as our database has it. */
type BoletoRow = {
  readonly merchantId: string;
  readonly boletoId: string;
  readonly ourNumber: string;
  readonly reference: string;
  readonly state: string;
  readonly refusalReason: string | null;
  readonly amount: number;
  readonly dueOn: string;
  readonly barCode: string | null;
  readonly paid: Payment | null;
  /** `paidIt`: nobody was surprised by it. */
  readonly payments: readonly (Payment & { readonly paidIt: boolean })[];
  /** Of the old and the new state, in their order. */
  readonly moves: readonly (readonly [string | null, string])[];
  /** Those that it had, or was to have, the newest last. */
  readonly dueDays: readonly string[];
  /** How often another due day was told. */
  readonly dayMoves: number;
  /** Payments that were not expected, their movements, and their exceptions. */
  readonly unexpected: readonly [number, number, number];
};

const ROWS = `select b.merchant_id as "merchantId", b.boleto_id as "boletoId", b.our_number as "ourNumber",
    b.reference_transaction as reference, b.state, b.refusal_reason as "refusalReason", b.amount::float8 as amount,
    b.due_on::text as "dueOn", coalesce(b.due_days, array[b.due_on])::text[] as "dueDays", b.bar_code as "barCode", case when b.paid_on is not null then
      jsonb_build_object('amount', b.paid_amount, 'paidOn', b.paid_on) end as paid,
    coalesce((select jsonb_agg(jsonb_build_object('amount', p.amount, 'paidOn', p.paid_on, 'paidIt', p.surprise is null))
      from boleto_payments p where p.merchant_id = b.merchant_id and p.boleto_id = b.boleto_id
        and p.surprise is distinct from 'filedAgain'), '[]') as payments,
    coalesce((select jsonb_agg(jsonb_build_array(m.old_state, m.new_state) order by m.movement_id)
      from movements m where m.merchant_id = b.merchant_id and m.boleto_id = b.boleto_id
        and m.new_state not in ('unexpectedPayment', 'dueDayChanged', 'dueDayKept')), '[]') as moves,
    (select count(*)::int from movements m where m.merchant_id = b.merchant_id and m.boleto_id = b.boleto_id
      and m.new_state = 'dueDayChanged') as "dayMoves",
    jsonb_build_array(
      (select count(*) from boleto_payments p where p.merchant_id = b.merchant_id and p.boleto_id = b.boleto_id
        and p.kind <> 'expected'),
      (select count(*) from movements m where m.merchant_id = b.merchant_id and m.boleto_id = b.boleto_id
        and m.new_state = 'unexpectedPayment'),
      (select count(*) from reconciliation_exceptions e where e.merchant_id = b.merchant_id and e.boleto_id = b.boleto_id)
    ) as unexpected
  from boletos b where starts_with(b.reference_transaction, $1)`;

type View = {
  readonly entry: BoletoEntry;
  readonly rows: readonly BoletoRow[];
  /** The same number at the bank, as far as it registered it. */
  readonly registered: readonly BankBoleto[];
};

export type BoletoBooks = {
  readonly views: readonly View[];
  readonly ledger: readonly BankBoleto[];
  readonly rows: readonly BoletoRow[];
};

/** The three views of every boleto of these rounds. */
export async function readBoletoBooks(bench: ChaosBench, rounds: string): Promise<BoletoBooks> {
  const ledger = (await readBankLedger(bench)).filter(({ status }) => status !== 'refused');
  const rows = (await bench.query(ROWS, [rounds])) as unknown as BoletoRow[];
  const atBank = new Map(ledger.map((boleto) => [keyOf(boleto), boleto]));
  const byReference = Map.groupBy(rows, ({ reference }) => reference);
  const entries = deskOf(bench).entries.filter(({ round }) => round.startsWith(rounds));
  const views = entries.map((entry) => {
    const own = byReference.get(entry.reference) ?? [];
    return { entry, rows: own, registered: own.flatMap((row) => atBank.get(keyOf(row)) ?? []) };
  });
  return { views, ledger, rows };
}

function keyOf({ merchantId, ourNumber }: Pick<BankBoleto, 'merchantId' | 'ourNumber'>): string {
  return `${ourNumber} ${merchantId}`;
}

const is = (wanted: number) => (answer: Answered) => answer.status === wanted;
const idOf = ({ body }: Answered): string => (body as { id: string }).id;
const sorted = (payments: readonly Payment[]) =>
  payments.map(({ amount, paidOn }) => `${amount} on ${paidOn}`).sort();

const lastTimes = (days: readonly string[]) => days.filter((day, index) => days.lastIndexOf(day) === index);

/** A promise, and what is wrong with one boleto; null: nothing. */
type Invariant = readonly [promise: string, check: (view: View) => string | null];

const UNDER_WAY = ['issuing', 'canceling', 'changing'];
/** The bar code but for its due day and check digit. */
const withoutDay = (barCode: string) => barCode.slice(0, 4) + barCode.slice(9);
const hasDay = ({ entry, registered: [atBank] }: View) =>
  entry.changes.length === 0 || atBank?.status === 'issued';
const STATE_OF_BANK = { issued: 'issued', paid: 'paid', canceled: 'canceled', expired: 'expired' } as const;

const INVARIANTS: readonly Invariant[] = [
  ['nothing stays unknown', ({ rows }) => rows.find(({ state }) => UNDER_WAY.includes(state))?.state ?? null],
  [
    'no boleto is issued twice for one request',
    ({ registered }) =>
      registered.length > 1 ? registered.map(({ ourNumber }) => ourNumber).join(' and ') : null,
  ],
  [
    'a request without a key makes one row',
    ({ entry, rows }) => (entry.key === null && rows.length > 1 ? `${rows.length} rows` : null),
  ],
  [
    'all answers with one key name the same boleto',
    ({ entry }) => {
      const ids = new Set(entry.answers.filter((one) => is(200)(one) || is(202)(one)).map(idOf));
      return ids.size > 1 ? [...ids].join(' and ') : null;
    },
  ],
  [
    'an answered boleto stands at the bank, with its bar code and value',
    ({ entry, rows, registered: [atBank] }) => {
      const answer = entry.answers.find(is(200));
      if (answer === undefined) return null;
      const { id, barCode, ourNumber } = answer.body as { id: string; barCode: string; ourNumber: string };
      if (atBank === undefined) return 'the bank has none';
      if (!rows.some((row) => row.boletoId === id && row.ourNumber === ourNumber))
        return 'we have no such row';
      if (atBank.ourNumber !== ourNumber) return `the bank has ${atBank.ourNumber}, not ${ourNumber}`;
      if (withoutDay(atBank.barCode ?? '') !== withoutDay(barCode))
        return `the bank has ${atBank.barCode}, not ${barCode}`;
      return atBank.amount === entry.amount ? null : `the bank has ${atBank.amount}, not ${entry.amount}`;
    },
  ],
  [
    'an answer of no leaves nothing at the bank',
    ({ entry, registered }) => {
      const isNo = ({ status }: Answered) => status !== null && status >= 400;
      // A no to the key's later request says nothing of the first.
      const isAllNo = entry.answers.length > 0 && entry.answers.every(isNo);
      return isAllNo && registered.length > 0
        ? `answered ${entry.answers.map(({ status }) => status)}`
        : null;
    },
  ],
  [
    'what the bank registered is known here, and what is known is registered',
    ({ rows, registered }) => {
      const live = rows.filter(({ state }) => state !== 'refused');
      const numbers = (some: readonly { readonly ourNumber: string }[]) =>
        some.map(({ ourNumber }) => ourNumber).join();
      return numbers(live) === numbers(registered)
        ? null
        : `here ${numbers(live)}, at the bank ${numbers(registered)}`;
    },
  ],
  [
    'a boleto is what it is at the bank',
    (view) => {
      const { rows, registered } = view;
      const [atBank] = registered;
      const row = rows.find(({ ourNumber }) => ourNumber === atBank?.ourNumber);
      if (atBank === undefined || row === undefined || atBank.status === 'refused') return null;
      // Paid or ended while the bank was asked, the day is not asked for any more.
      if (hasDay(view) && row.barCode !== atBank.barCode)
        return `its bar code is ${row.barCode}, not ${atBank.barCode}`;
      if (hasDay(view) && row.dueOn !== atBank.dueOn) return `it is due on ${row.dueOn}, not ${atBank.dueOn}`;
      const wanted = STATE_OF_BANK[atBank.status];
      return row.state === wanted ? null : `here ${row.state}, at the bank ${atBank.status}`;
    },
  ],
  [
    'every payment is on record, once',
    ({ rows, registered: [atBank] }) => {
      const [here, there] = [rows.flatMap(({ payments }) => payments), atBank?.payments ?? []];
      const [ours, theirs] = [sorted(here).join(), sorted(there).join()];
      return ours === theirs ? null : `here ${ours || 'none'}, at the bank ${theirs || 'none'}`;
    },
  ],
  [
    'a paid boleto was paid by one payment',
    ({ rows }) => {
      for (const { state, paid, payments } of rows) {
        const paying = payments.filter(({ paidIt }) => paidIt);
        if (paying.length !== (state === 'paid' ? 1 : 0)) return `${state}, paid by ${paying.length}`;
        if (paid !== null && sorted([paid]).join() !== sorted(paying).join())
          return 'of another amount or day';
      }
      return null;
    },
  ],
  [
    'a cancel that was answered is done',
    ({ entry, registered: [atBank] }) =>
      entry.cancels.some(is(200)) && atBank?.status !== 'canceled'
        ? `at the bank ${atBank?.status ?? 'none'}`
        : null,
  ],
  [
    'a change of the due day that was answered is done',
    ({ entry, registered: [atBank] }) => {
      // A no has no effect, and each other call may have had one.
      const last = entry.changes.findLast(({ status }) => status === null || status < 400 || status >= 500);
      return last?.status === 200 && atBank?.dueOn !== last.dueOn
        ? `due on ${atBank?.dueOn}, not ${last.dueOn}`
        : null;
    },
  ],
  [
    'the due days of the bank are here in its order, and each change is told once',
    ({ rows, registered: [atBank] }) => {
      const row = rows.find(({ ourNumber }) => ourNumber === atBank?.ourNumber);
      if (row === undefined || atBank === undefined) return null;
      // Paid or ended while the bank was asked, its last day is known, and not taken nor told.
      const isOpen = atBank.status === 'issued';
      const had = lastTimes(atBank.dueDays);
      const here = lastTimes(row.dueDays).filter((day) => had.includes(day));
      const isKnown = isOpen ? here.join() === had.join() : here.length === had.length;
      if (!isKnown) return `here ${row.dueDays.join()}, at the bank ${had.join()}`;
      const changes = atBank.dueDays.length - 1;
      const isUntaken = !isOpen && row.dueOn !== atBank.dueDays.at(-1) && row.dayMoves === changes - 1;
      const isTold = row.dayMoves === changes || isUntaken;
      return isTold ? null : `told ${row.dayMoves} times, changed ${changes} times`;
    },
  ],
  [
    'each payment that was not expected has a movement and an exception',
    ({ rows }) => {
      const wrong = rows.find(({ unexpected: [payments, ...told] }) =>
        told.some((count) => count !== payments),
      );
      return wrong === undefined ? null : wrong.unexpected.join(', ');
    },
  ],
  [
    'each change of state is one movement, from where the one before ended',
    ({ rows }) => {
      for (const { state, moves } of rows) {
        const isChain = moves.every(([old], index) => old === (moves[index - 1]?.[1] ?? null));
        const last = moves.at(-1)?.[1] ?? 'refused';
        const isOnce = new Set(moves.map(([, to]) => to)).size === moves.length;
        if (!isChain || !isOnce || last !== state)
          return `${state} by ${moves.map(([old, to]) => `${old}>${to}`).join(' ')}`;
      }
      return null;
    },
  ],
];

/** Everything that is promised of these boletos and is not so. */
export function checkBoletos({ views, ledger, rows }: BoletoBooks, isWhole: boolean): Finding[] {
  const findings: Finding[] = [];
  for (const view of views) {
    for (const [invariant, check] of INVARIANTS) {
      const text = check(view);
      if (text !== null)
        findings.push({ invariant, reference: view.entry.reference, text: text + viewsOf(view) });
    }
  }
  if (!isWhole) return findings;
  const known = new Set(rows.map(keyOf));
  for (const boleto of ledger)
    if (!known.has(keyOf(boleto)))
      findings.push({
        invariant: 'the bank has no boleto that is unknown here',
        reference: keyOf(boleto),
        text: boleto.status,
      });
  return findings;
}

function viewsOf({ entry, rows, registered }: View): string {
  const shown = (answers: readonly Answered[]) =>
    answers.map(({ status, lostBy }) => status ?? `lost (${lostBy})`).join(', ');
  const { operation, key, answers, cancels, changes } = entry;
  return [
    `\n  ${operation}${key === null ? '' : ' with a key'}, answered ${shown(answers)}; cancels ${shown(cancels)}; changes ${shown(changes)}`,
    `\n  here: ${JSON.stringify(rows)}`,
    `\n  at the bank: ${JSON.stringify(registered)}`,
  ].join('');
}
