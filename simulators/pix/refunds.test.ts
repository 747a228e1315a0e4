import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cob, KEY, type PixClient, type RunningPixBank, startPixBank } from './running-simulator.ts';

const TXID = 'T'.padEnd(32, '0');

async function paidCharge(bank: RunningPixBank): Promise<{ ask: PixClient; pix: string }> {
  const ask = await bank.client();
  await ask('PUT', `/cob/${TXID}`, cob(), '2027-01-01T12:00:00Z');
  const { body } = await bank.order('/payments', { clientId: 'M1', txid: TXID });
  return { ask, pix: `/pix/${body.endToEndId}` };
}

test('one id gives back once, all of them no more than came, and only for 90 days', async (t) => {
  const bank = await startPixBank(t);
  const { ask, pix } = await paidCharge(bank);
  const giveBack = (id: string, valor: string, now?: string) =>
    ask('PUT', `${pix}/devolucao/${id}`, { valor }, now);
  const answers = await Promise.all(Array.from({ length: 10 }, () => giveBack('A', '60.00')));
  for (const { status, body } of answers)
    assert.deepEqual([status, body.rtrId], [201, answers[0]?.body.rtrId]);
  assert.equal((await giveBack('A', '59.00')).body.violacoes[0].propriedade, 'devolucao.id');
  assert.match((await giveBack('B', '40.01')).body.violacoes[0].razao, /excederia/);
  assert.equal((await giveBack('B', '0.00')).status, 400);
  assert.equal((await giveBack('B', '10.00')).status, 201);
  const { body } = await ask('GET', pix);
  assert.deepEqual(
    body.devolucoes.map((one: Record<string, string>) => [one.id, one.valor, one.status]),
    [
      ['A', '60.00', 'DEVOLVIDO'],
      ['B', '10.00', 'DEVOLVIDO'],
    ],
  );
  assert.equal((await giveBack('C', '10.00', '2027-04-01T12:00:00Z')).status, 201);
  assert.match((await giveBack('D', '10.00', '2027-04-01T12:00:01Z')).body.violacoes[0].razao, /90 dias/);
  assert.equal((await ask('PUT', `/pix/E${'0'.repeat(31)}/devolucao/A`, { valor: '1.00' })).status, 404);
  const stranger = await bank.client('M2');
  assert.equal((await stranger('GET', pix)).status, 404);
  const [item] = (await bank.read('/ledger/pix')).body.items;
  assert.deepEqual([item.amount, item.givenBack], [10_000, 8_000]);
});

test('what waits ends when it is told, and what failed can be asked for again', async (t) => {
  const bank = await startPixBank(t);
  const { ask, pix } = await paidCharge(bank);
  const endToEndId = pix.slice(5);
  await bank.order('/script', {
    clientId: 'M1',
    on: 'PUT /pix/devolucao',
    steps: [{ refund: 'waits' }, { refund: 'fails' }],
  });
  const statusOf = async (id: string) => (await ask('GET', `${pix}/devolucao/${id}`)).body.status;
  await ask('PUT', `${pix}/devolucao/A`, { valor: '60.00' });
  assert.equal(await statusOf('A'), 'EM_PROCESSAMENTO');
  await ask('PUT', `${pix}/devolucao/B`, { valor: '40.00' });
  assert.equal(await statusOf('B'), 'NAO_REALIZADO');
  const end = { endToEndId, id: 'A', status: 'NAO_REALIZADO', motivo: 'Conta encerrada' };
  assert.equal((await bank.order('/refunds', end)).status, 200);
  assert.equal((await bank.order('/refunds', end)).status, 409);
  await ask('PUT', `${pix}/devolucao/C`, { valor: '100.00' });
  assert.equal(await statusOf('C'), 'DEVOLVIDO');
});

test('a payer takes back what is left, and the receiver sees why', async (t) => {
  const bank = await startPixBank(t);
  const { ask, pix } = await paidCharge(bank);
  const endToEndId = pix.slice(5);
  await ask('PUT', `${pix}/devolucao/A`, { valor: '60.00' });
  assert.equal((await bank.order('/taken-back', { endToEndId, amount: '40.01' })).status, 400);
  assert.equal((await bank.order('/taken-back', { endToEndId })).status, 201);
  const { body } = await ask('GET', pix);
  assert.deepEqual([body.devolucoes[1].valor, body.devolucoes[1].natureza], ['40.00', 'MED_FRAUDE']);
  assert.equal((await ask('PUT', `${pix}/devolucao/B`, { valor: '0.01' })).status, 400);
  assert.equal(
    (await ask('GET', `/pix?inicio=2027-01-01T00:00:00Z&fim=2027-02-01T00:00:00Z&devolucaoPresente=true`))
      .body.pix.length,
    1,
  );
  assert.equal(body.chave, KEY);
});
