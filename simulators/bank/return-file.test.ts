import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RunningBank, registration, startBank } from './running-simulator.ts';

const UNTIL = 'until=2026-11-12T03:00:00Z';

async function linesOf({ url }: RunningBank, query: string): Promise<string[]> {
  const response = await fetch(`${url}/return-file?merchantId=M1&${UNTIL}&${query}`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  const text = await response.text();
  assert.ok(text.endsWith('\r\n'));
  const lines = text.slice(0, -2).split('\r\n');
  for (const line of lines) assert.equal(line.length, 240);
  return lines;
}

/** Positions as the layout counts them: from 1, both ends included. */
const at = (line: string | undefined, from: number, to: number) => (line ?? '').slice(from - 1, to);
const typesOf = (lines: readonly string[]) =>
  lines.map((line) => (at(line, 8, 8) === '3' ? `3${at(line, 14, 14)}` : at(line, 8, 8)));

async function bankWithPayments(t: Parameters<typeof startBank>[0]): Promise<RunningBank> {
  const bank = await startBank(t);
  for (const [index, amount] of [2_021, 2_024, 25_000].entries())
    await bank.post('/boletos', registration(String(index + 1).padStart(11, '0'), { amount }));
  await bank.post('/boletos', registration('00000000009', { merchantId: 'M2', amount: 2_021 }));
  return bank;
}

test('the day of the issue has each registration, the due day each payment', async (t) => {
  const bank = await bankWithPayments(t);
  const issued = await linesOf(bank, 'day=2026-11-02');
  assert.deepEqual(typesOf(issued), ['0', '1', '3T', '3U', '3T', '3U', '3T', '3U', '5', '9']);
  assert.deepEqual(
    issued.filter((line) => at(line, 14, 14) === 'T').map((line) => at(line, 16, 17)),
    ['02', '02', '02'],
  );
  const lines = await linesOf(bank, 'day=2026-11-10');
  assert.deepEqual(typesOf(lines), ['0', '1', '3T', '3U', '3T', '3U', '5', '9']);
  const [head, , title, amounts, , half, trailer, end] = lines;
  assert.deepEqual([at(head, 143, 143), at(head, 144, 151)], ['2', '10112026']);
  assert.deepEqual(
    [at(title, 16, 17), at(title, 46, 56), at(title, 74, 81), at(title, 82, 96), at(title, 149, 157)],
    ['06', '00000000001', '10112026', '000000000002021', 'ANA SOUZA'],
  );
  assert.deepEqual(
    [at(amounts, 78, 92), at(amounts, 93, 107), at(amounts, 138, 145), at(amounts, 146, 153)],
    ['000000000002021', '000000000001831', '10112026', '11112026'],
  );
  assert.equal(at(half, 78, 92), '000000000001012');
  assert.deepEqual(
    [at(trailer, 18, 23), at(trailer, 24, 29), at(trailer, 30, 46)],
    ['000006', '000002', '00000000000004045'],
  );
  assert.deepEqual([at(end, 4, 7), at(end, 18, 23), at(end, 24, 29)], ['9999', '000001', '000008']);
});

test('a cancel, a writing off and money behind the end have their movements', async (t) => {
  const bank = await bankWithPayments(t);
  const canceled = {
    merchantId: 'M1',
    ourNumber: '00000000003',
    event: 'canceled',
    at: '2026-11-05T12:00:00Z',
  };
  await bank.post('/changes', canceled);
  await bank.post('/changes', { ...canceled, event: 'paid', amount: 7, at: '2026-11-05T12:01:00Z' });
  const titles = (await linesOf(bank, 'day=2026-11-05')).filter((line) => at(line, 14, 14) === 'T');
  assert.deepEqual(
    titles.map((line) => [at(line, 16, 17), at(line, 214, 215)]),
    [
      ['09', '11'],
      ['17', '33'],
    ],
  );
  assert.deepEqual(typesOf(await linesOf(bank, 'day=2026-11-06')), ['0', '1', '5', '9']);
});

test('faults are in the file as they are ordered', async (t) => {
  const bank = await bankWithPayments(t);
  const paidIn = async (fault: string) => {
    const lines = await linesOf(bank, `day=2026-11-10&fault=${fault}`);
    assert.equal(
      at(lines.at(-1), 24, 29),
      String(lines.length + (fault === 'brokenTrailer' ? 1 : 0)).padStart(6, '0'),
    );
    return lines.filter((line) => at(line, 14, 14) === 'U').map((line) => Number(at(line, 78, 92)));
  };
  assert.deepEqual(await paidIn('rowMissing'), [2_021]);
  assert.deepEqual(await paidIn('rowTwice'), [2_021, 1_012, 1_012]);
  assert.deepEqual(await paidIn('otherAmount'), [2_021, 1_013]);
  assert.deepEqual(await paidIn('brokenTrailer'), [2_021, 1_012]);
  const { status, body } = await bank.get('/return-file?merchantId=M1&day=2026-11-10&fault=none');
  assert.deepEqual([status, body.field], [400, 'fault']);
});
