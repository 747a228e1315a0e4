import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { bankDayFrom } from '../kit/bank-days.ts';
import { BRANDS } from '../kit/cards/decline-codes.ts';
import { dayAfter, endOfDay, saoPauloDayOf } from '../kit/days.ts';
import { FILE_FAULTS, type FileFault } from '../kit/files/file-faults.ts';
import { type ChangeItem, History, type HistoryStep, MERCHANT } from './file-history.ts';
import { type ReadEntry, readFileOf } from './file-reader.ts';
import { FILE_FORMATS, type FileFormat } from './files.ts';
import { authorization, startSimulator } from './running-simulator.ts';

const index = fc.nat(50);
const portion = fc.integer({ min: 1, max: 1_000 });
const STEP: fc.Arbitrary<HistoryStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sell' as const),
      // Without the digits that the simulator reacts to.
      amount: fc.integer({ min: 12, max: 99 }).map((tens) => tens * 10_000 + tens),
      installments: fc.integer({ min: 1, max: 12 }),
      brand: fc.constantFrom(...BRANDS),
      feePortion: fc.nat(500),
      isLater: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
      isVoided: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: index, portion }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('block' as const, 'unblock' as const),
      which: index,
      installment: index,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('chargeback' as const, 'anticipate' as const),
      which: index,
      installment: index,
      portion,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 700 }) }),
  },
);

async function played(t: TestContext, steps: readonly HistoryStep[]): Promise<History> {
  const history = new History(t);
  await history.play(steps);
  // The last day is over, and the next has not begun to bring anything.
  history.now = endOfDay(saoPauloDayOf(history.now));
  return history;
}

function daysOf({ firstDay, now }: History): string[] {
  const days: string[] = [];
  for (let day = firstDay; day < saoPauloDayOf(now); day = dayAfter(day, 1)) days.push(day);
  return days;
}

async function linesOf(history: History, format: FileFormat, day: string, fault: FileFault | null = null) {
  const { status, file } = await history.file(format, day, fault);
  assert.equal(status, 200);
  return [...(file?.lines ?? [])];
}

async function entriesOf(history: History, format: FileFormat): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = [];
  for (const day of daysOf(history)) {
    entries.push(...readFileOf(format, await linesOf(history, format, day), day));
  }
  return entries;
}

const short = (reference: string, most: number): string => reference.replaceAll('-', '').slice(-most);
const told = (entries: readonly ReadEntry[], ...kinds: string[]): string[] =>
  entries
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ order, installment, gross, fee, net, bankOn }) =>
      [order, installment ?? 0, gross, fee, net, bankOn].join(' '),
    )
    .sort();

/** What the feed of changes says of payouts, as an entry of a file should. */
function payoutsOf(changes: readonly ChangeItem[], most: number): string[] {
  return changes
    .filter(({ type }) => type === 'settled')
    .map(({ reference, installmentNumber, fee = 0, anticipationFee = 0, net = 0, bankOn }) =>
      [short(reference, most), installmentNumber, fee + anticipationFee + net, fee, net, bankOn].join(' '),
    )
    .sort();
}

function amountsOf(changes: readonly ChangeItem[], type: string, most: number): [string, number][] {
  const words = changes
    .filter((change) => change.type === type)
    .map(({ reference, amount }) => `${short(reference, most)} ${amount}`);
  return sumsOf(words);
}

/** What was given back of each sale. */
function sumsOf(words: readonly string[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const word of words) {
    const [order = '', amount = '0'] = word.split(' ');
    sums.set(order, (sums.get(order) ?? 0) + Number(amount));
  }
  return [...sums].sort();
}

const takenOf = (entries: readonly ReadEntry[], kind: string): [string, number][] =>
  sumsOf(entries.filter((entry) => entry.kind === kind).map(({ order, gross }) => `${order} ${gross}`));

const total = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

function history(check: (played: History) => Promise<void>, t: TestContext): Promise<void> {
  return fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), async (steps) =>
      check(await played(t, steps)),
    ),
    { numRuns: 40 },
  );
}

for (const format of ['adiq', 'cielo04'] as const) {
  const most = format === 'adiq' ? 30 : 20;
  test(`${format}: every payout, cancel and chargeback of the ledger is in one file, and nothing else`, async (t) => {
    await history(async (past) => {
      const entries = await entriesOf(past, format);
      const changes = await past.changes();
      assert.deepEqual(told(entries, 'payout', 'anticipation'), payoutsOf(changes, most));
      assert.deepEqual(takenOf(entries, 'cancel'), amountsOf(changes, 'canceled', most));
      assert.deepEqual(takenOf(entries, 'chargeback'), amountsOf(changes, 'chargeback', most));
      const anticipated = changes.filter(({ anticipationFee = 0 }) => anticipationFee > 0).length;
      assert.equal(told(entries, 'anticipation').length, anticipated);
    }, t);
  });
}

for (const format of ['adiq', 'cielo03'] as const) {
  const most = format === 'adiq' ? 30 : 20;
  test(`${format}: every sale that was not voided is promised once, installment by installment`, async (t) => {
    await history(async (past) => {
      const sales = (await entriesOf(past, format)).filter(({ kind }) => kind === 'sale');
      const expected = past.sold.flatMap(({ reference, installments }) =>
        Array.from({ length: installments }, (_, number) => `${short(reference, most)} ${number + 1}`),
      );
      assert.deepEqual(
        sales.map(({ order, installment }) => `${order} ${installment}`).sort(),
        expected.sort(),
      );
      assert.equal(total(sales.map(({ gross }) => gross)), total(past.sold.map(({ amount }) => amount)));
      assert.ok(sales.every(({ gross, fee, net }) => gross - fee === net));
    }, t);
  });
}

test('redeEevc: every sale is in one batch with TID and order number', async (t) => {
  await history(async (past) => {
    const sales = await entriesOf(past, 'redeEevc');
    assert.deepEqual(
      sales.map(({ order, gross }) => `${order} ${gross}`).sort(),
      past.sold.map(({ reference, amount }) => `${short(reference, 16)} ${amount}`).sort(),
    );
    assert.ok(sales.every(({ tid, batch }) => /^\d{20}$/.test(tid) && /^\d{9}$/.test(batch)));
  }, t);
});

test('redeEefi: credits are the payouts batch by batch, and what is taken back is a debit or off the schedule', async (t) => {
  await history(async (past) => {
    const batches = new Map((await entriesOf(past, 'redeEevc')).map(({ order, batch }) => [order, batch]));
    const entries = await entriesOf(past, 'redeEefi');
    const changes = await past.changes();
    const expected = new Map<string, number>();
    for (const { reference, installmentNumber, type, net = 0, bankOn } of changes) {
      if (type !== 'settled') continue;
      const key = [batches.get(short(reference, 16)), installmentNumber, bankOn].join(' ');
      expected.set(key, (expected.get(key) ?? 0) + net);
    }
    const credited = new Map<string, number>();
    for (const { kind, batch, installment, net, bankOn } of entries) {
      if (kind !== 'payout' && kind !== 'anticipation') continue;
      const key = [batch, installment, bankOn].join(' ');
      credited.set(key, (credited.get(key) ?? 0) + net);
    }
    assert.deepEqual([...credited].sort(), [...expected].sort());
    assert.deepEqual(takenOf(entries, 'cancel'), amountsOf(changes, 'canceled', 16));
    assert.deepEqual(takenOf(entries, 'chargeback'), amountsOf(changes, 'chargeback', 16));
  }, t);
});

test('the same day is answered by the same bytes, whatever happened after it', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(STEP, { minLength: 5, maxLength: 30 }),
      fc.array(STEP, { maxLength: 20 }),
      async (steps, more) => {
        const past = await played(t, steps);
        const days = daysOf(past).slice(-20);
        const all = async () => {
          const files: string[] = [];
          for (const format of FILE_FORMATS) {
            for (const day of days) files.push((await linesOf(past, format, day)).join('\n'));
          }
          return files;
        };
        const before = await all();
        await past.play(more);
        assert.deepEqual(await all(), before);
      },
    ),
    { numRuns: 15 },
  );
});

const SALE = {
  kind: 'sell',
  amount: 120_012,
  installments: 3,
  brand: 'visa',
  feePortion: 250,
  isLater: false,
  isVoided: false,
} as const;

test('each fault changes one row in its way, and nothing else', async (t) => {
  const past = await played(t, [SALE, { ...SALE, brand: 'elo' }, { kind: 'wait', hours: 24 * 35 }]);
  const paidOn = bankDayFrom(dayAfter(past.firstDay, 30));
  for (const format of ['adiq', 'cielo04', 'redeEefi'] as const) {
    const sound = readFileOf(format, await linesOf(past, format, paidOn), paidOn);
    assert.equal(sound.length, 2);
    const [first, second] = sound as [ReadEntry, ReadEntry];
    const read = async (fault: FileFault) =>
      readFileOf(format, await linesOf(past, format, paidOn, fault), paidOn);
    assert.deepEqual(await read('rowMissing'), [second]);
    assert.deepEqual(await read('rowTwice'), [first, first, second]);
    const dearer = { ...first, gross: first.gross + 100, fee: first.fee + 3, net: first.net + 97 };
    assert.deepEqual(await read('anotherAmount'), [dearer, second]);
    const [other] = await read('anotherFee');
    assert.deepEqual(other, { ...first, fee: first.fee + 100, net: first.net - 100 });
    const [late] = await read('lateDay');
    assert.equal(late?.bankOn, dayAfter(paidOn, 1));
    const added = async (fault: FileFault) => {
      const entries = await read(fault);
      return entries.filter((entry) => !sound.some((own) => JSON.stringify(own) === JSON.stringify(entry)));
    };
    const [foreign, ...none] = await added('foreignRow');
    assert.deepEqual([foreign?.gross, none.length], [first.gross, 0]);
    assert.notEqual([foreign?.order, foreign?.batch].join(), [first.order, first.batch].join());
    const [canceled] = await added('unknownCancel');
    assert.deepEqual([canceled?.kind, canceled?.gross], ['cancel', first.gross]);
    const [disputed] = await added('unknownChargeback');
    assert.deepEqual([disputed?.kind, disputed?.gross], ['chargeback', first.gross]);
    if (format !== 'adiq') assert.equal((await added('pledge'))[0]?.kind, 'pledge');
    assert.equal((await added('unknownCode'))[0]?.kind, 'unknown');
    await assert.rejects(read('brokenTrailer'), /trailer/);
  }
});

test('a debit is twice in a file where that was ordered', async (t) => {
  const dispute = { kind: 'chargeback', which: 0, installment: 0, portion: 500 } as const;
  const wait = { kind: 'wait', hours: 24 } as const;
  const past = await played(t, [SALE, wait, dispute, { kind: 'cancel', which: 0, portion: 100 }, wait, wait]);
  const day = dayAfter(past.firstDay, 1);
  for (const format of ['adiq', 'cielo04', 'redeEefi'] as const) {
    const read = async (fault: FileFault | null) =>
      readFileOf(format, await linesOf(past, format, day, fault), day).map(({ kind, gross }) => [
        kind,
        gross,
      ]);
    const [first, ...others] = await read(null);
    assert.notEqual(first, undefined);
    assert.deepEqual(await read('debitTwice'), [first, first, ...others]);
  }
});

test('a fault that a file cannot have is refused, and so is a day that is not over', async (t) => {
  const past = await played(t, [SALE]);
  const { firstDay } = past;
  for (const [format, fault, row] of [
    ['adiq', 'pledge', 1],
    ['redeEevc', 'lateDay', 1],
    ['redeEevc', 'rowMissing', 2],
    ['cielo04', 'rowTwice', 1],
  ] as const) {
    assert.deepEqual((await past.file(format, firstDay, fault, row)).body, { error: 'noSuchRow' });
  }
  assert.equal((await past.file('cielo04', firstDay, 'brokenTrailer')).status, 200, 'there is a trailer');
  const today = saoPauloDayOf(past.now);
  assert.deepEqual((await past.file('adiq', today)).body, { error: 'dayNotOver' });
  assert.deepEqual(FILE_FAULTS.length, 12);
});

test('a file is served as text, and what is asked for wrongly is named', async (t) => {
  const simulator = await startSimulator(t);
  const soldAt = '2026-01-01T12:00:00Z';
  await simulator.post('/authorizations', authorization('a', { soldAt, merchantId: MERCHANT }));
  const base = `http://127.0.0.1:${simulator.port}/files?merchantId=${MERCHANT}`;
  const response = await fetch(`${base}&format=adiq&day=2026-01-01`);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=us-ascii');
  assert.match(response.headers.get('content-disposition') ?? '', /EDI_020_20260101_mov_\d{6}\.txt/);
  const text = await response.text();
  assert.ok(text.endsWith('\r\n'));
  assert.equal(readFileOf('adiq', text.slice(0, -2).split('\r\n'), '2026-01-01').length, 1);
  for (const [query, field] of [
    ['format=pdf&day=2026-01-01', 'format'],
    ['format=adiq&day=2026-02-30', 'day'],
    ['format=adiq&day=2026-01-01&fault=none', 'fault'],
    ['format=adiq&day=2026-01-01&row=0', 'row'],
    ['format=adiq&day=2026-01-01&until=now', 'until'],
  ]) {
    const refused = await fetch(`${base}&${query}`);
    assert.deepEqual(await refused.json(), { error: 'malformed', field });
  }
});
