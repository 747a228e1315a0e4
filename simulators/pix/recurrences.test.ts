import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBrCode } from '../../src/values/br-code.ts';
import { cycleOf } from './cycles.ts';
import {
  cob,
  cobr,
  cobv,
  type PixClient,
  type RunningPixBank,
  rec,
  startPixBank,
} from './running-simulator.ts';

const txidOf = (index: number) => `T${String(index).padStart(31, '0')}`;
const clockOf = (bank: RunningPixBank) => (now: string) => bank.order('/clock', { clientId: 'M1', now });

/** An authorization that the payer has given. */
async function agreed(
  bank: RunningPixBank,
  changed: object = {},
): Promise<{ ask: PixClient; idRec: string }> {
  const ask = await bank.client();
  await clockOf(bank)('2027-02-01T12:00:00Z');
  const { idRec } = (await ask('POST', '/rec', rec(changed))).body;
  const { body } = await bank.order('/authorizations', { idRec, act: 'accept' });
  assert.deepEqual([body.status, body.ativacao.tipoJornada], ['APROVADA', 'JORNADA_2']);
  return { ask, idRec };
}

const triesOf = async (ask: PixClient, txid: string) => {
  const { body } = await ask('GET', `/cobr/${txid}`);
  return [body.status, ...body.tentativas.map((one: Record<string, string>) => `${one.tipo} ${one.status}`)];
};

test('a charge is paid on the morning of its day, and on the next working day where that is asked', async (t) => {
  const bank = await startPixBank(t);
  const { ask, idRec } = await agreed(bank);
  const clock = clockOf(bank);
  const made = await ask('PUT', `/cobr/${txidOf(1)}`, cobr(idRec, '2027-02-13'));
  assert.equal(made.body.status, 'CRIADA');
  assert.deepEqual(await triesOf(ask, txidOf(1)), ['ATIVA', 'AGND AGENDADA']);
  assert.deepEqual((await ask('PUT', `/cobr/${txidOf(1)}`, cobr(idRec, '2027-02-13'))).body.txid, txidOf(1));
  const other = await ask('PUT', `/cobr/${txidOf(2)}`, cobr(idRec, '2027-03-09'));
  assert.match(other.body.violacoes[0].razao, /mesmo ciclo/);
  // A Saturday, and Carnival is over on the Wednesday before; banks work on Monday.
  await clock('2027-02-15T10:59:59Z');
  assert.deepEqual(await triesOf(ask, txidOf(1)), ['ATIVA', 'AGND AGENDADA']);
  await clock('2027-02-15T11:00:00Z');
  assert.deepEqual(await triesOf(ask, txidOf(1)), ['CONCLUIDA', 'AGND PAGA']);
  const [pix] = (await ask('GET', '/pix?inicio=2027-02-01T00:00:00Z&fim=2027-03-01T00:00:00Z')).body.pix;
  assert.deepEqual([pix.txid, pix.valor, pix.horario], [txidOf(1), '35.00', '2027-02-15T11:00:00.000Z']);
  const early = await ask('PUT', `/cobr/${txidOf(3)}`, cobr(idRec, '2027-02-14'));
  assert.equal(early.body.violacoes[0].propriedade, 'cobr.calendario.dataDeVencimento');
});

test('three tries more within seven days, on days that the receiver chooses, and then it is over', async (t) => {
  const bank = await startPixBank(t);
  const { ask, idRec } = await agreed(bank);
  const clock = clockOf(bank);
  const lacksFunds = { plan: 'lacksFunds' };
  await bank.order('/payers', { idRec, steps: [lacksFunds, lacksFunds, { plan: 'ignores' }, lacksFunds] });
  await ask('PUT', `/cobr/${txidOf(1)}`, cobr(idRec, '2027-02-10'));
  const retry = (day: string) => ask('POST', `/cobr/${txidOf(1)}/retentativa/${day}`);
  const reasons: string[] = [];
  const refuse = async (day: string) => reasons.push((await retry(day)).body.violacoes[0].razao);
  await refuse('2027-02-12');
  await clock('2027-02-11T00:00:00Z');
  assert.deepEqual(await triesOf(ask, txidOf(1)), ['ATIVA', 'AGND EXPIRADA']);
  await refuse('2027-02-10');
  await refuse('2027-02-18');
  assert.equal((await retry('2027-02-11')).status, 201);
  await clock('2027-02-12T12:00:00Z');
  await refuse('2027-02-12');
  assert.equal((await retry('2027-02-14')).status, 201);
  await clock('2027-02-15T12:00:00Z');
  assert.equal((await retry('2027-02-17')).status, 201);
  await clock('2027-02-18T02:59:59Z');
  assert.deepEqual(await triesOf(ask, txidOf(1)), [
    'ATIVA',
    'AGND EXPIRADA',
    'NTAG EXPIRADA',
    'NTAG EXPIRADA',
    'NTAG EXPIRADA',
  ]);
  await clock('2027-02-18T03:00:00Z');
  assert.equal((await triesOf(ask, txidOf(1)))[0], 'EXPIRADA');
  assert.deepEqual(
    reasons.map((reason) => /SOLICITADA|futura|3 retentativas/.exec(reason)?.[0]),
    ['SOLICITADA', 'futura', '3 retentativas', 'futura'],
  );
  // The cycle is spent; the next one is paid.
  assert.equal((await ask('PUT', `/cobr/${txidOf(2)}`, cobr(idRec, '2027-03-01'))).status, 400);
  await ask('PUT', `/cobr/${txidOf(3)}`, cobr(idRec, '2027-03-10'));
  await clock('2027-03-11T00:00:00Z');
  assert.deepEqual(await triesOf(ask, txidOf(3)), ['CONCLUIDA', 'AGND PAGA']);
});

test('a payer rejects: some codes end the charge, and a charge without retries ends with its day', async (t) => {
  const bank = await startPixBank(t);
  const { ask, idRec } = await agreed(bank, {
    politicaRetentativa: 'NAO_PERMITE',
    valor: { valorMinimoRecebedor: '10.00' },
  });
  const steps = [
    { plan: 'rejects', code: 'AC05' },
    { plan: 'rejects', code: 'AC06' },
  ];
  await bank.order('/payers', { idRec, steps });
  await ask('PUT', `/cobr/${txidOf(1)}`, cobr(idRec, '2027-02-10'));
  assert.deepEqual(await triesOf(ask, txidOf(1)), ['REJEITADA', 'AGND REJEITADA']);
  assert.equal((await ask('GET', `/cobr/${txidOf(1)}`)).body.encerramento.rejeicao.codigo, 'AC05');
  await ask('PUT', `/cobr/${txidOf(2)}`, cobr(idRec, '2027-02-10'));
  assert.deepEqual(await triesOf(ask, txidOf(2)), ['CRIADA', 'AGND REJEITADA']);
  assert.match(
    (await ask('POST', `/cobr/${txidOf(2)}/retentativa/2027-02-11`)).body.violacoes[0].razao,
    /não permite/,
  );
  await clockOf(bank)('2027-02-11T03:00:00Z');
  assert.equal((await triesOf(ask, txidOf(2)))[0], 'EXPIRADA');
  const fixed = await agreed(bank, { calendario: { dataInicial: '2027-03-10', periodicidade: 'MENSAL' } });
  await ask('PUT', `/cobr/${txidOf(3)}`, cobr(fixed.idRec, '2027-03-10', { valor: { original: '36.00' } }));
  assert.equal((await ask('GET', `/cobr/${txidOf(3)}`)).body.encerramento.rejeicao.codigo, 'AM09');
});

test('a ceiling is not below the least, and keeps what is above it from being paid', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  await clockOf(bank)('2027-02-01T12:00:00Z');
  const { idRec } = (await ask('POST', '/rec', rec({ valor: { valorMinimoRecebedor: '50.00' } }))).body;
  const accept = (ceiling: string) => bank.order('/authorizations', { idRec, act: 'accept', ceiling });
  assert.equal((await accept('49.99')).status, 400);
  assert.equal((await accept('60.00')).status, 200);
  await ask('PUT', `/cobr/${txidOf(1)}`, cobr(idRec, '2027-02-10', { valor: { original: '60.01' } }));
  const { tentativas } = (await ask('GET', `/cobr/${txidOf(1)}`)).body;
  assert.equal(tentativas[0].rejeicao.codigo, 'AM02');
});

test('journey 3: one code pays the first charge and authorizes, once', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  await clockOf(bank)('2027-02-01T12:00:00Z');
  const loc = (await ask('POST', '/locrec')).body;
  const charge = (await ask('PUT', `/cob/${txidOf(1)}`, cob())).body;
  const asked = rec({ loc: loc.id, ativacao: { dadosJornada: { txid: txidOf(1) } } });
  const { idRec } = (await ask('POST', '/rec', asked)).body;
  assert.equal((await ask('POST', '/rec', asked)).body.violacoes[0].propriedade, 'rec.loc');
  const { dadosQR, status } = (await ask('GET', `/rec/${idRec}?txid=${txidOf(1)}`)).body;
  assert.deepEqual([dadosQR.jornada, status], ['JORNADA_3', 'CRIADA']);
  const reading = readBrCode(dadosQR.pixCopiaECola);
  assert.deepEqual(reading.kind === 'brCode' && [reading.url, reading.recurrenceUrl], [
    charge.location,
    loc.location,
  ]);
  assert.equal((await bank.order('/payments', { code: dadosQR.pixCopiaECola })).status, 201);
  const after = (await ask('GET', `/rec/${idRec}`)).body;
  assert.deepEqual(after.ativacao, { tipoJornada: 'JORNADA_3', dadosJornada: { txid: txidOf(1) } });
  assert.equal((await bank.order('/authorizations', { idRec, act: 'accept' })).status, 409);
  assert.equal((await ask('GET', `/cob/${txidOf(1)}`)).body.status, 'CONCLUIDA');
});

test('journeys 1, 2 and 4, refusals, and what nobody answers in time', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  const clock = clockOf(bank);
  await clock('2027-02-01T12:00:00Z');
  const make = async (changed: object = {}) => (await ask('POST', '/rec', rec(changed))).body.idRec as string;
  const send = async (idRec: string) => {
    const body = {
      idRec,
      calendario: { dataExpiracaoSolicitacao: '2027-02-03T12:00:00Z' },
      destinatario: { cpf: '52998224725', conta: '1', ispbParticipante: '91193552' },
    };
    return (await ask('POST', '/solicrec', body)).body.idSolicRec as string;
  };
  const [accepted, refused, ignored] = [await make(), await make(), await make()];
  const sent = [await send(accepted), await send(refused), await send(ignored)];
  assert.equal((await ask('GET', `/solicrec/${sent[0]}`)).body.status, 'RECEBIDA');
  await bank.order('/authorizations', { idSolicRec: sent[0], act: 'accept' });
  await bank.order('/authorizations', { idSolicRec: sent[1], act: 'reject', codigo: 'AP14' });
  await clock('2027-02-03T12:00:00Z');
  const statuses = await Promise.all(sent.map((id) => ask('GET', `/solicrec/${id}`)));
  assert.deepEqual(
    statuses.map(({ body }) => body.status),
    ['ACEITA', 'REJEITADA', 'EXPIRADA'],
  );
  assert.equal((await ask('GET', `/rec/${accepted}`)).body.ativacao.tipoJornada, 'JORNADA_1');
  assert.equal((await ask('GET', `/rec/${refused}`)).body.encerramento.rejeicao.codigo, 'AP14');
  const loc = (await ask('POST', '/locrec')).body;
  const alone = await make({ loc: loc.id });
  const { pixCopiaECola } = (await ask('GET', `/rec/${alone}`)).body.dadosQR;
  await bank.order('/authorizations', { code: pixCopiaECola, act: 'accept' });
  assert.equal((await ask('GET', `/rec/${alone}`)).body.ativacao.tipoJornada, 'JORNADA_2');
  const other = (await ask('POST', '/locrec')).body;
  const offered = await make({ loc: other.id });
  await ask('PUT', `/cobv/${txidOf(1)}`, cobv());
  const { dadosQR } = (await ask('GET', `/rec/${offered}?txid=${txidOf(1)}`)).body;
  await bank.order('/payments', { code: dadosQR.pixCopiaECola });
  assert.equal((await ask('GET', `/rec/${offered}`)).body.ativacao.tipoJornada, 'JORNADA_4');
  await clock('2027-02-11T03:00:00Z');
  assert.equal((await ask('GET', `/rec/${ignored}`)).body.status, 'EXPIRADA');
});

test('an end by the payer cancels what was still to be charged', async (t) => {
  const bank = await startPixBank(t);
  const { ask, idRec } = await agreed(bank);
  await ask('PUT', `/cobr/${txidOf(1)}`, cobr(idRec, '2027-02-10'));
  await bank.order('/authorizations', { idRec, act: 'cancel' });
  const { encerramento } = (await ask('GET', `/rec/${idRec}`)).body;
  assert.deepEqual(
    [encerramento.cancelamento.solicitante, encerramento.cancelamento.codigo],
    ['USUARIO_PAGADOR', 'SLDB'],
  );
  assert.deepEqual(await triesOf(ask, txidOf(1)), ['CANCELADA', 'AGND CANCELADA']);
  await clockOf(bank)('2027-02-11T12:00:00Z');
  assert.deepEqual((await bank.read('/ledger/pix')).body.items, []);
  assert.equal(
    (await ask('PUT', `/cobr/${txidOf(2)}`, cobr(idRec, '2027-03-10'))).body.violacoes[0].propriedade,
    'cobr.idRec',
  );
});

test('cycles begin on the day of the first, or on the last day of a month that has no such day', () => {
  assert.deepEqual(
    ['2027-01-30', '2027-01-31', '2027-02-27', '2027-02-28', '2027-03-30', '2027-03-31'].map((day) =>
      cycleOf('MENSAL', '2027-01-31', day),
    ),
    [-1, 0, 0, 1, 1, 2],
  );
  assert.deepEqual(
    [cycleOf('SEMANAL', '2027-01-01', '2027-01-07'), cycleOf('SEMANAL', '2027-01-01', '2027-01-08')],
    [0, 1],
  );
  assert.deepEqual(
    [cycleOf('TRIMESTRAL', '2027-01-10', '2027-04-09'), cycleOf('ANUAL', '2027-01-10', '2029-01-10')],
    [0, 2],
  );
});
