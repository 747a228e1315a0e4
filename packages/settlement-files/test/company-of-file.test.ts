import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReturnEvents } from '../src/banks/read-return-events.ts';
import { cnab240, cnab400 } from './return-lines.ts';
import { withText } from './written-lines.ts';

async function isOfAnother(lines: readonly string[], companies: readonly string[]): Promise<boolean> {
  const bytes = Buffer.from(lines.map((one) => `${one}\r\n`).join(''), 'latin1');
  const events = await Array.fromAsync(
    readReturnEvents(
      (async function* () {
        yield bytes;
      })(),
      (bank) => (['341', '748'].includes(bank) ? companies : ['00000000000000']),
    ),
  );
  const last = events.at(-1);
  return last?.type === 'end' && last.isOfAnother;
}

const NONE = cnab240({ bank: '341' }, [{ movement: '02' }]);
const of240 = (document: string) => [withText(NONE[0] ?? '', 18, document), ...NONE.slice(1)];
const of400 = (document: string) =>
  cnab400({ bank: '341' }, [
    { 2: '0200000000000000', 109: '02110127' },
    { 2: document, 109: '02110127' },
  ]);

test('a file of another company is found by the document of its header or lines', async () => {
  for (const files of [(one: string) => of240(`2${one}`), (one: string) => of400(`02${one}`)]) {
    assert.equal(await isOfAnother(files('99888777000166'), ['11222333000181']), true);
    assert.equal(await isOfAnother(files('99888777000166'), ['11222333000181', '99888777000166']), false);
    // Another establishment of the same company, and nobody's expectation.
    assert.equal(await isOfAnother(files('11222333000262'), ['11222333000181']), false);
    assert.equal(await isOfAnother(files('99888777000166'), []), false);
  }
  assert.equal(await isOfAnother(of240('100052998224725'), ['52998224725']), false);
  assert.equal(await isOfAnother(of240('100052998224725'), ['11144477735']), true);
});

test('in CNAB 400 of Sicredi the header names the company, behind the beneficiary', async () => {
  const headed = (text: string) => {
    const [header = '', ...rest] = cnab400({ bank: '748', madeOn: '20270112' }, [{ 109: '02110127' }]);
    return [withText(header, 27, text), ...rest];
  };
  assert.equal(await isOfAnother(headed('0062399888777000166'), ['11222333000181']), true);
  assert.equal(await isOfAnother(headed('0062311222333000262'), ['11222333000181']), false);
  assert.equal(await isOfAnother(headed('0000000000000000000'), ['11222333000181']), false);
});

test('a file that names no company is nobody else’s', async () => {
  assert.equal(await isOfAnother(NONE, ['11222333000181']), false);
  assert.equal(await isOfAnother(of240('200000000000000'), ['11222333000181']), false);
});
