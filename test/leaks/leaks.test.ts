import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SEED } from '../kit/seed.ts';
import { ENDPOINTS } from '../published.ts';
import { type Evidence, gatherEvidence, RUNS, SINKS, type Sink } from './evidence.ts';
import { codesIn, type Marks, makeMarks, random } from './marks.ts';
import type { Hit, TokenCounts } from './scanner.ts';

let runs: readonly Evidence[];

before(async () => {
  const one = makeMarks(random(SEED));
  runs = await Promise.all([one, otherMarks(one)].slice(0, RUNS).map(gatherEvidence));
});

/** Marks that share no security code with the others. */
function otherMarks(one: Marks): Marks {
  const taken = new Set([...one.codes, ...one.longCodes]);
  for (let seed = SEED + 1; ; seed += 1) {
    const marks = makeMarks(random(seed));
    if (![...marks.codes, ...marks.longCodes].some((code) => taken.has(code))) return marks;
  }
}

/** `files: card number 453211…, plain, in postgres/data/base/5/16400`, each once. */
function reported(hits: readonly Hit[]): string[] {
  return [
    ...new Set(
      hits.map(
        ({ number, encoding, place }) => `${number.slice(0, 6)}…, ${encoding}, in ${place} (SEED=${SEED})`,
      ),
    ),
  ];
}

// The first test waits for the runs.
test('every endpoint was called with a marked card', () => {
  for (const { exercised } of runs)
    assert.deepEqual(
      ENDPOINTS.map(({ id }) => id).filter((id) => !exercised.has(id)),
      [],
    );
});

test('no request failed for a card in the wrong place', () => {
  for (const { answers } of runs) {
    const failed = answers.filter(({ status }) => status >= 500);
    // Four unanswered payments, one without an acquirer.
    assert.deepEqual(
      failed.map(({ asked, status }) => `${asked} ${status}`),
      [...Array(4).fill('POST /v1/payments 500'), 'POST /v1/payments 503'],
    );
  }
});

const PLACES: Readonly<Record<Sink, string>> = {
  answers: 'an answer',
  streams: 'the log or a message to the operator',
  metrics: 'the metrics',
  tables: 'a table',
  files: 'a file: tables, indexes, write-ahead log, log of PostgreSQL, ledger of the simulator, keys',
};
for (const sink of SINKS) {
  test(`no card number and no proof of an authentication stands in ${PLACES[sink]}, in any encoding`, () => {
    for (const { hits } of runs) assert.deepEqual(reported(hits[sink]), []);
  });
}

test('a card number that a merchant typed into a free text is kept nowhere', () => {
  for (const { typed } of runs) for (const sink of SINKS) assert.deepEqual(reported(typed[sink]), []);
});

test('only the acquirer is sent card numbers and security codes by the process', () => {
  for (const { sightings, marks } of runs) {
    const toAcquirer = sightings.filter(({ sink }) => sink === 'the acquirer').map(({ what }) => what);
    assert.ok(
      toAcquirer.some((what) => what.startsWith('card number, plain')),
      'the watcher sees what the acquirer is sent',
    );
    for (const code of [...marks.codes, ...marks.longCodes])
      assert.ok(toAcquirer.includes(`security code ${code}`), code);
    const elsewhere = sightings.filter(({ sink }) => sink !== 'the acquirer' && sink !== 'look-up');
    assert.deepEqual(
      [...new Set(elsewhere.map(({ sink, what, near }) => `${what} in ${sink}: ${near}`))].slice(0, 20),
      [],
    );
  }
});

const TEXTS = /^(text|character|json|jsonb|name)/;

test('no text in the database holds a security code', () => {
  for (const { cells, marks } of runs) {
    const codes = new Set([...marks.codes, ...marks.longCodes]);
    const found = cells
      .filter(({ type }) => TEXTS.test(type))
      .flatMap(({ table, column, text }) =>
        codesIn(text, codes).map((code) => `${code} in ${table}.${column}: ${text.slice(0, 200)}`),
      );
    assert.deepEqual(found, []);
  }
});

/**
 * Three digits occur by chance, so the runs are compared: a code is counted in the run that used it and in
 * the run that did not. What is in both cancels out. How far apart the counts of a number are by chance is
 * measured on the numbers that neither run used: with their variance v, the sum over n codes has the
 * variance n·v, and stays within six of its standard deviations (chance of a wrong alarm far under one in a
 * million, also where the counts are not normal: at least 12 are allowed). Each code was used four times
 * and more in each run of the proof: one leak for each use is 96 and more.
 */
function excess(sink: Sink, length: 'three' | 'four'): { readonly sum: number; readonly bound: number } {
  const [one, other] = runs as readonly [Evidence, Evidence];
  const codesOf = ({ marks }: Evidence) => (length === 'three' ? marks.codes : marks.longCodes).map(Number);
  const [ours, theirs] = [new Set(codesOf(one)), new Set(codesOf(other))];
  const difference = (value: number) => count(one.counts[sink], value) - count(other.counts[sink], value);
  const count = (counts: TokenCounts, value: number) => counts[length][value] ?? 0;
  let sum = 0;
  let squares = 0;
  let others = 0;
  for (
    let value = length === 'three' ? 600 : 3_000;
    value < (length === 'three' ? 1_000 : 10_000);
    value += 1
  ) {
    if (ours.has(value)) sum += difference(value);
    else if (theirs.has(value)) sum -= difference(value);
    else {
      squares += difference(value) ** 2;
      others += 1;
    }
  }
  return { sum, bound: Math.max(12, 6 * Math.sqrt((squares / others) * (ours.size + theirs.size))) };
}

for (const sink of RUNS === 2 ? SINKS : []) {
  test(`security codes stand in ${PLACES[sink].split(':')[0]} no more often than chance puts them there`, (context) => {
    for (const length of ['three', 'four'] as const) {
      const { sum, bound } = excess(sink, length);
      context.diagnostic(`${length} digits: ${sum} more, ${bound.toFixed(1)} allowed`);
      assert.ok(sum <= bound, `${sum} more than in the run that did not use them (SEED=${SEED})`);
    }
  });
}

test('the run looked at all there is', (context) => {
  for (const { scannedBytes, answers, cells } of runs) {
    context.diagnostic(
      `${(scannedBytes / 2 ** 20).toFixed(0)} MiB, ${answers.length} answers, ${cells.length} cells`,
    );
    assert.ok(scannedBytes > 30 * 2 ** 20 && answers.length > 500 && cells.length > 1_000);
  }
});
