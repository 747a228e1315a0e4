import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { readLines } from '../../packages/settlement-files/test/written-lines.ts';
import { History, type HistoryStep } from '../../simulators/acquirer/file-history.ts';
import { readFileOf } from '../../simulators/acquirer/file-reader.ts';
import { FILE_FORMATS, type FileFormat } from '../../simulators/acquirer/files.ts';
import { BRANDS } from '../../simulators/kit/cards/decline-codes.ts';
import { dayAfter, endOfDay, saoPauloDayOf } from '../../simulators/kit/days.ts';
import { FILE_FAULTS, type FileFault } from '../../simulators/kit/files/file-faults.ts';

/** Written apart, the simulator and our readers have only the printed page in common. */
const STEP: fc.Arbitrary<HistoryStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sell' as const),
      amount: fc.integer({ min: 12, max: 99 }).map((tens) => tens * 10_000 + tens),
      installments: fc.integer({ min: 1, max: 12 }),
      brand: fc.constantFrom(...BRANDS),
      feePortion: fc.nat(500),
      isLater: fc.constant(false),
      isVoided: fc.constant(false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cancel' as const),
      which: fc.nat(50),
      portion: fc.integer({ min: 1, max: 1_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('chargeback' as const, 'anticipate' as const),
      which: fc.nat(50),
      installment: fc.nat(50),
      portion: fc.integer({ min: 1, max: 1_000 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 700 }) }),
  },
);

async function eachHistory(t: TestContext, check: (history: History) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 30 }), async (steps) => {
    const history = new History(t);
    await history.play(steps);
    history.now = endOfDay(saoPauloDayOf(history.now));
    await check(history);
  });
  await fc.assert(property, { numRuns: 15 });
}

function daysOf({ firstDay, now }: History): string[] {
  const days: string[] = [];
  for (let day = firstDay; day < saoPauloDayOf(now); day = dayAfter(day, 1)) days.push(day);
  return days;
}

async function linesOf(
  history: History,
  format: FileFormat,
  day: string,
  fault: FileFault | null = null,
): Promise<string[] | null> {
  const { status, file } = await history.file(format, day, fault);
  return status === 200 ? [...(file?.lines ?? [])] : null;
}

for (const format of FILE_FORMATS) {
  test(`${format}: every file that the simulator writes is taken, with the entries that it wrote`, async (t) => {
    await eachHistory(t, async (history) => {
      for (const day of daysOf(history)) {
        const lines = (await linesOf(history, format, day)) ?? [];
        const { head, entries, end, faults } = await readLines(lines);
        assert.deepEqual(faults, []);
        assert.equal(head?.format, format);
        assert.equal(end?.lineCount, lines.length);
        const seen = entries
          .filter(({ kind }) => kind !== 'schedule')
          .toSorted((one, other) => one.lineNumber - other.lineNumber);
        const written = readFileOf(format, lines, day);
        assert.deepEqual(
          seen.map((entry, index) => [
            entry.kind,
            entry.orderReference ?? '',
            entry.tid ?? '',
            entry.batch?.padStart(9, '0') ?? '',
            Math.abs(entry.gross),
            // The other reading leaves open which installment it is where there is but one.
            written[index]?.installment === null && entry.installmentNumber === 1
              ? null
              : entry.installmentNumber,
          ]),
          written.map((entry) => [
            entry.kind,
            entry.order,
            entry.tid,
            entry.batch,
            entry.gross,
            entry.installment,
          ]),
        );
        for (const [index, { net }] of seen.entries()) {
          if (net !== null) assert.equal(Math.abs(net), written[index]?.net);
        }
      }
    });
  });

  test(`${format}: faults of a row are taken for a person to see, and a broken trailer is refused`, async (t) => {
    await eachHistory(t, async (history) => {
      for (const day of daysOf(history).slice(0, 3)) {
        for (const fault of FILE_FAULTS) {
          const lines = await linesOf(history, format, day, fault);
          if (lines === null) continue;
          const { end, entries, faults } = await readLines(lines);
          assert.equal(end === null, fault === 'brokenTrailer', `${fault}: ${JSON.stringify(faults)}`);
          assert.equal(
            entries.some(({ kind }) => kind === 'unknown'),
            fault === 'unknownCode',
          );
        }
      }
    });
  });
}
