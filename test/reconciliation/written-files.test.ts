import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { History, type HistoryStep } from '../../simulators/acquirer/file-history.ts';
import { FILE_FORMATS, type FileFormat } from '../../simulators/acquirer/files.ts';
import { BRANDS } from '../../simulators/kit/cards/decline-codes.ts';
import { dayAfter, endOfDay, saoPauloDayOf } from '../../simulators/kit/days.ts';
import type { FileFault } from '../../simulators/kit/files/file-faults.ts';
import { readSettlementEvents } from '../../src/reconciliation/imports/read-settlement-events.ts';
import type { SettlementEntry, SettlementEvent } from '../../src/reconciliation/settlement-entry.ts';

const sale = fc.record({
  kind: fc.constant('sell' as const),
  amount: fc.integer({ min: 12, max: 99 }).map((tens) => tens * 10_000 + tens),
  installments: fc.integer({ min: 1, max: 12 }),
  brand: fc.constantFrom(...BRANDS),
  feePortion: fc.nat(500),
  isLater: fc.constant(false),
  isVoided: fc.constant(false),
});
const other = fc.oneof(
  fc.record({
    kind: fc.constant('cancel' as const),
    which: fc.nat(9),
    portion: fc.integer({ min: 1, max: 999 }),
  }),
  fc.record({
    kind: fc.constantFrom('chargeback' as const, 'anticipate' as const),
    which: fc.nat(9),
    installment: fc.nat(11),
    portion: fc.integer({ min: 1, max: 1_000 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 900 }) }),
);

async function* bytesOf(past: History, format: FileFormat, day: string, fault: FileFault | null) {
  const { file } = await past.file(format, day, fault);
  for (const line of file?.lines ?? []) yield Buffer.from(`${line}\r\n`);
}

async function readingOf(past: History, format: FileFormat, day: string, fault: FileFault | null = null) {
  const events: SettlementEvent[] = [];
  for await (const event of readSettlementEvents(bytesOf(past, format, day, fault))) events.push(event);
  return events;
}

async function entriesOf(past: History, format: FileFormat, day: string): Promise<SettlementEntry[]> {
  const events = await readingOf(past, format, day);
  assert.equal(events.at(-1)?.type, 'end', `${format} ${day}: ${JSON.stringify(events.at(-1))}`);
  return events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []));
}

const sumOf = (entries: readonly SettlementEntry[], kinds: readonly string[]): number =>
  entries.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { gross }) => sum + gross, 0);

/** What arrives at the bank. */
const paidBy = (entries: readonly SettlementEntry[]): number =>
  entries
    .filter(({ kind }) => kind === 'payout' || kind === 'anticipation')
    .reduce((sum, { gross, fee, anticipationFee }) => sum + gross - (fee ?? 0) - (anticipationFee ?? 0), 0);

test('what the simulator writes is read by reconciliation, and says what the feed of changes says', async (t) => {
  const steps = fc.array(fc.oneof({ weight: 2, arbitrary: sale }, { weight: 3, arbitrary: other }), {
    minLength: 8,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (all: HistoryStep[]) => {
      const past = new History(t);
      await past.play(all);
      past.now = endOfDay(saoPauloDayOf(past.now));
      const changes = await past.changes();
      const total = (types: readonly string[], of: 'amount' | 'net') =>
        changes
          .filter(({ type }) => types.includes(type))
          .reduce((sum, change) => sum + (change[of] ?? 0), 0);
      for (const format of FILE_FORMATS) {
        const entries: SettlementEntry[] = [];
        for (let day = past.firstDay; day < saoPauloDayOf(past.now); day = dayAfter(day, 1)) {
          entries.push(...(await entriesOf(past, format, day)));
        }
        if (format === 'redeEevc' || format === 'cielo03') {
          const sold = past.sold.reduce((sum, { amount }) => sum + amount, 0);
          assert.equal(sumOf(entries, ['sale']), sold, format);
          continue;
        }
        assert.equal(paidBy(entries), total(['settled'], 'net'), format);
        assert.equal(sumOf(entries, ['cancel']), -total(['canceled'], 'amount') || 0, format);
        assert.equal(sumOf(entries, ['chargeback']), -total(['chargeback'], 'amount') || 0, format);
      }
    }),
    { numRuns: 25 },
  );
});

test('a broken trailer is refused, in every format', async (t) => {
  const past = new History(t);
  const sold = { kind: 'sell', amount: 120_012, installments: 3, brand: 'visa', feePortion: 250 } as const;
  await past.play([{ ...sold, isLater: false, isVoided: false }]);
  past.now = endOfDay(past.firstDay);
  for (const format of FILE_FORMATS) {
    const last = (await readingOf(past, format, past.firstDay, 'brokenTrailer')).at(-1);
    assert.equal(last?.type, 'refused', format);
  }
});
