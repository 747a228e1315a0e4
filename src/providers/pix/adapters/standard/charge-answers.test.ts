import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../../values/cents.ts';
import { isOver, readCharge } from './charge-answers.ts';

const at = (text: string) => Date.parse(text);

test('a charge is over minutes after its seconds, and days after its last day, by its own terms', () => {
  const atOnce = { criacao: '2026-03-02T12:00:00Z', expiracao: 3_600 };
  assert.equal(isOver(atOnce, at('2026-03-02T13:04:59Z')), false);
  assert.equal(isOver(atOnce, at('2026-03-02T13:05:01Z')), true);
  const withDueDay = { dataDeVencimento: '2026-03-02', validadeAposVencimento: 2 };
  assert.equal(isOver(withDueDay, at('2026-03-09T23:59:00-03:00')), false);
  assert.equal(isOver(withDueDay, at('2026-03-10T00:01:00-03:00')), true);
  assert.equal(isOver({ dataDeVencimento: '2026-03-02' }, at('2026-04-06T12:00:00-03:00')), false);
});

test('a record tells what became of its charge also where it has no code, as those of the specification', () => {
  const name = {
    merchantId: 'm',
    txid: '655dfdb1a4514b8fbb58254b958913fb',
    amount: cents(10_000),
    hasDueDay: false,
  };
  const record = {
    calendario: { criacao: '2020-09-09T20:15:00.358Z', expiracao: 3_600 },
    txid: name.txid,
    revisao: 1,
    loc: { id: 567, location: 'pix.bank.example/qr/1dd7f893a58e417287028dc33e21a403' },
    valor: { original: '100.00', modalidadeAlteracao: 0 },
    chave: '40a0932d-1918-4eee-845d-35a2da1690dc',
  };
  const endToEndId = 'E1234567820200909122120200808008';
  const pix = [{ endToEndId, txid: name.txid, valor: '110.00', horario: '2020-09-09T20:15:00.358Z' }];
  const paid = readCharge({ ...record, status: 'CONCLUIDA', pix }, name);
  assert.ok(paid.kind === 'paid' && paid.pixEmv === null, JSON.stringify(paid));
  assert.deepEqual(
    paid.receipts.map((one) => [one.endToEndId, one.amount]),
    [[endToEndId, 11_000]],
  );
  const waiting = readCharge({ ...record, status: 'ATIVA' }, name);
  assert.ok(waiting.kind === 'waiting' && waiting.pixEmv === null && waiting.isOver, JSON.stringify(waiting));
  const due = { dataDeVencimento: '2999-12-31', validadeAposVencimento: 30 };
  const withDueDay = readCharge(
    { ...record, calendario: due, status: 'ATIVA' },
    { ...name, hasDueDay: true },
  );
  assert.ok(withDueDay.kind === 'waiting' && !withDueDay.isOver, JSON.stringify(withDueDay));
  assert.equal(readCharge({ ...record, status: 'REMOVIDA_PELO_PSP' }, name).kind, 'removed');
});

test('what does not say when it ends is not over', () => {
  for (const calendar of [undefined, {}, { criacao: '2026-03-02T12:00:00Z' }, { criacao: 'x', expiracao: 1 }])
    assert.equal(isOver(calendar, at('2030-01-01T00:00:00Z')), false);
});
