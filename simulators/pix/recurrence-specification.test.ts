import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerFault, requestFault, SPECIFIED_OPERATIONS } from '../../test/kit/pix-specification.ts';
import { type Answered, cob, cobr, cobv, rec, startPixBank } from './running-simulator.ts';

const TXID = 'c'.repeat(32);
const DUE = 'd'.repeat(32);
const FIRST = 'e'.repeat(32);

function operationOf(method: string, path: string): string {
  const named = path
    .replace(/\?.*/, '')
    .replace(/^\/rec\/[^/]+/, '/rec/{idRec}')
    .replace(/^\/solicrec\/[^/]+/, '/solicrec/{idSolicRec}')
    .replace(/^\/locrec\/[^/]+/, '/locrec/{id}')
    .replace(/^\/(cobr|cobv?)\/[^/]+/, '/$1/{txid}')
    .replace(/retentativa\/.*/, 'retentativa/{data}');
  return `${method} ${named}`;
}

test('every request and every answer of recurring charges is one of the specification', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  const done = new Set<string>();
  const check = async (method: string, path: string, status: number, body?: object): Promise<Answered> => {
    const operation = operationOf(method, path);
    if (body !== undefined && status < 400) assert.equal(requestFault(operation, body), null, operation);
    const answer = await ask(method, path, body);
    assert.equal(answer.status, status, `${operation} ${JSON.stringify(answer.body)}`);
    assert.equal(
      answerFault(operation, status, answer.body),
      null,
      `${operation} ${JSON.stringify(answer.body)}`,
    );
    if (status < 300) done.add(operation);
    return answer;
  };
  await bank.order('/clock', { clientId: 'M1', now: '2027-02-01T12:00:00Z' });
  for (const own of ['/webhookrec', '/webhookcobr']) {
    await check('PUT', own, 400, { webhookUrl: 1 });
    await check('PUT', own, 200, { webhookUrl: 'http://127.0.0.1:9/hook' });
    await check('GET', own, 200);
    await check('DELETE', own, 204);
    await check('GET', own, 404);
  }
  const loc = (await check('POST', '/locrec', 201)).body;
  await check('PUT', `/cob/${TXID}`, 201, cob());
  await check('PUT', `/cobv/${DUE}`, 201, cobv());
  const asked = rec({
    loc: loc.id,
    ativacao: { dadosJornada: { txid: TXID } },
    recebedor: { convenio: 'Master' },
  });
  const { idRec } = (await check('POST', '/rec', 201, asked)).body;
  await check('POST', '/rec', 400, rec({ valor: { valorRec: '1' } }));
  await check('GET', `/locrec/${loc.id}`, 200);
  await check('PATCH', `/rec/${idRec}`, 200, { vinculo: { devedor: { nome: 'Ana Lima' } } });
  for (const query of ['', `?txid=${TXID}`, `?txid=${DUE}`]) await check('GET', `/rec/${idRec}${query}`, 200);
  await check('GET', `/rec/${idRec}?txid=${FIRST}`, 400);
  const send = {
    idRec,
    calendario: { dataExpiracaoSolicitacao: '2027-02-05T12:00:00Z' },
    destinatario: { cpf: '52998224725', conta: '550689', agencia: '2569', ispbParticipante: '91193552' },
  };
  const { idSolicRec } = (await check('POST', '/solicrec', 201, send)).body;
  await check('POST', '/solicrec', 400, send);
  await check('GET', `/solicrec/${idSolicRec}`, 200);
  await check('PATCH', `/solicrec/${idSolicRec}`, 201, { status: 'CANCELADA' });
  await check('PATCH', `/solicrec/${idSolicRec}`, 400, { status: 'CANCELADA' });
  await bank.order('/authorizations', { idRec, act: 'accept' });
  await bank.order('/payers', { idRec, steps: [{ plan: 'lacksFunds' }, { plan: 'rejects', code: 'AC06' }] });
  await check(
    'PUT',
    `/cobr/${FIRST}`,
    201,
    cobr(idRec, '2027-02-10', { devedor: { email: 'ana@example.com' } }),
  );
  await check('PUT', `/cobr/${FIRST}`, 400, cobr(idRec, 'soon'));
  await check('POST', `/cobr/${FIRST}/retentativa/2027-02-14`, 400);
  await check('POST', '/cobr', 400, cobr(idRec, '2027-02-11'));
  await bank.order('/clock', { clientId: 'M1', now: '2027-02-11T03:00:00Z' });
  await check('POST', `/cobr/${FIRST}/retentativa/2027-02-12`, 201);
  await check('POST', `/cobr/${FIRST}/retentativa/2027-02-14`, 201);
  await bank.order('/clock', { clientId: 'M1', now: '2027-02-14T12:00:00Z' });
  const paid = (await check('GET', `/cobr/${FIRST}`, 200)).body;
  await bank.order('/taken-back', { endToEndId: paid.pix[0].endToEndId, natureza: 'MED_PIX_AUTOMATICO' });
  await check('GET', `/cobr/${FIRST}`, 200);
  const next = (await check('POST', '/cobr', 201, cobr(idRec, '2027-03-10'))).body;
  await check('PATCH', `/cobr/${next.txid}`, 200, { status: 'CANCELADA' });
  await check('GET', `/cobr/${next.txid}`, 200);
  await check('PATCH', `/cobr/${next.txid}`, 400, { status: 'CANCELADA' });
  await check('PATCH', `/rec/${idRec}`, 200, { status: 'CANCELADA' });
  await check('PATCH', `/rec/${idRec}`, 400, { status: 'CANCELADA' });
  const refused = (
    await check(
      'POST',
      '/rec',
      201,
      rec({ calendario: { dataInicial: '2027-05-01', periodicidade: 'ANUAL' } }),
    )
  ).body;
  await bank.order('/authorizations', { idRec: refused.idRec, act: 'reject' });
  await check('GET', `/rec/${refused.idRec}`, 200);
  const bounds = '?inicio=2020-01-01T00:00:00Z&fim=2030-01-01T00:00:00Z';
  for (const list of ['/rec', '/cobr', '/locrec']) {
    await check('GET', `${list}${bounds}`, 200);
    await check('GET', list, 400);
  }
  await check('DELETE', `/locrec/${loc.id}/idRec`, 200);
  for (const unknown of ['/rec/R', '/cobr/c', '/solicrec/S', '/locrec/99']) await check('GET', unknown, 404);
  const recurring = SPECIFIED_OPERATIONS.filter((operation) => /rec|cobr/.test(operation));
  assert.deepEqual(
    recurring.filter((operation) => !done.has(operation)),
    [],
  );
});
