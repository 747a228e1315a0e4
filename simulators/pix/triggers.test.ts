import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cob, cobr, cobv, KEY, rec, startPixBank } from './running-simulator.ts';
import amounts from './trigger-amounts.json' with { type: 'json' };

const txidOf = (digits: string) => `T${digits.padStart(31, '0')}`;

test('amounts spoil the first answer of a charge, and are paid by themselves when their time has come', async (t) => {
  const bank = await startPixBank(t, { options: ['--late-milliseconds', '1'] });
  const ask = await bank.client();
  const clock = (now: string) => bank.order('/clock', { clientId: 'M1', now });
  await clock('2027-05-03T12:00:00Z');
  await ask('PUT', `/webhook/${KEY}`, { webhookUrl: 'http://127.0.0.1:9' });
  const make = (digits: string) =>
    ask(
      'PUT',
      `/cob/${txidOf(digits)}`,
      cob({ valor: { original: `1${digits.slice(0, 2)}.${digits.slice(2)}` } }),
    );
  assert.equal((await make('2008')).status, 503);
  assert.equal((await make('2008')).status, 201);
  for (const digits of Object.keys(amounts.payments)) assert.equal((await make(digits)).status, 201);
  const removal = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
  await ask('PUT', `/cob/${txidOf('9')}`, cob({ valor: { original: '20.21' } }));
  await ask('PATCH', `/cob/${txidOf('9')}`, removal);
  await ask(
    'PUT',
    `/cobv/${txidOf('8')}`,
    cobv({ valor: { original: '20.21' }, calendario: { dataDeVencimento: '2027-05-08' } }),
  );
  await clock('2027-05-12T12:00:00Z');
  const { items } = (await bank.read('/ledger/pix')).body;
  const rows = items.map((pix: Record<string, unknown>) => [
    Number(String(pix.txid).slice(1)),
    pix.amount,
    String(pix.horario).slice(5, 19),
    pix.givenBack,
  ]);
  assert.deepEqual(rows, [
    [2_021, 12_021, '05-03T12:00:05', 0],
    [2_024, 6_012, '05-03T12:00:05', 0],
    [2_025, 12_025, '05-03T12:00:05', 0],
    [2_026, 12_026, '05-03T12:00:05', 0],
    [2_027, 12_027, '05-03T12:00:05', 12_027],
    [2_025, 12_025, '05-03T12:00:10', 0],
    [2_023, 12_023, '05-03T13:00:05', 0],
    // Due on a Saturday: paid on Monday at noon.
    [8, 2_021, '05-10T15:00:00', 0],
  ]);
  const told = (await bank.read('/webhooks?clientId=M1')).body.items.map((one: { body: string }) =>
    JSON.parse(one.body),
  );
  const ofTwice = told.filter(({ pix }: { pix: { txid: string }[] }) => pix[0]?.txid === txidOf('2026'));
  assert.equal(ofTwice.length, 2);
});

test('amounts decide of an authorization, and of the first tries under it', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  const clock = (now: string) => bank.order('/clock', { clientId: 'M1', now });
  await clock('2027-02-01T12:00:00Z');
  const make = async (valorRec: string) =>
    (await ask('POST', '/rec', rec({ valor: { valorRec } }))).body.idRec as string;
  const [accepted, rejected, poor] = [await make('20.41'), await make('20.42'), await make('20.51')];
  await bank.order('/authorizations', { idRec: poor, act: 'accept' });
  await ask('PUT', `/cobr/${txidOf('1')}`, cobr(poor, '2027-02-10', { valor: { original: '20.51' } }));
  await clock('2027-02-11T12:00:00Z');
  const statuses = await Promise.all([accepted, rejected].map((idRec) => ask('GET', `/rec/${idRec}`)));
  assert.deepEqual(
    statuses.map(({ body }) => body.status),
    ['APROVADA', 'REJEITADA'],
  );
  await ask('POST', `/cobr/${txidOf('1')}/retentativa/2027-02-12`);
  await clock('2027-02-12T12:00:00Z');
  const { tentativas } = (await ask('GET', `/cobr/${txidOf('1')}`)).body;
  assert.deepEqual(
    tentativas.map((one: { status: string }) => one.status),
    ['EXPIRADA', 'PAGA'],
  );
});
