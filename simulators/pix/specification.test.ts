import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerFault,
  requestFault,
  SPECIFIED_OPERATIONS,
  scopeOf,
} from '../../test/kit/pix-specification.ts';
import { type Answered, cob, cobv, KEY, startPixBank } from './running-simulator.ts';

const TXID = 'a'.repeat(32);
const DUE = 'b'.repeat(32);

/** `/cob/aaa?x` as the specification names it. */
function operationOf(method: string, path: string): string {
  const [, first, second, ...rest] = path.replace(/\?.*/, '').split('/');
  const name: Record<string, string> = { cob: '{txid}', cobv: '{txid}', pix: '{e2eid}', webhook: '{chave}' };
  const refund = rest.length > 0 ? `/devolucao/{id}` : '';
  return `${method} /${first}${second === undefined ? '' : `/${name[first ?? '']}`}${refund}`;
}

test('every request of ours and every answer is one of the specification', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  const checked = new Set<string>();
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
    if (status >= 400) assert.equal(answer.type, 'application/problem+json');
    checked.add(`${operation} ${status}`);
    return answer;
  };
  await check('PUT', `/webhook/${KEY}`, 200, { webhookUrl: `${bank.url}/about` });
  await check('PUT', `/webhook/${KEY}`, 400, { webhookUrl: 'nothing' });
  await check('GET', `/webhook/${KEY}`, 200);
  await check('GET', '/webhook', 200);
  await check('PUT', `/cob/${TXID}`, 201, cob());
  await check('PUT', `/cob/${TXID}`, 400, cob({ valor: { original: '1' } }));
  await check('PATCH', `/cob/${TXID}`, 200, { valor: { original: '90.00' } });
  await check(
    'POST',
    '/cob',
    201,
    cob({ devedor: undefined, valor: { original: '0.00', modalidadeAlteracao: 1 } }),
  );
  const reduced = {
    original: '100.00',
    multa: { modalidade: 2, valorPerc: '2.00' },
    juros: { modalidade: 3, valorPerc: '1.00' },
    abatimento: { modalidade: 1, valorPerc: '5.00' },
    desconto: { modalidade: 1, descontoDataFixa: [{ data: '2027-03-01', valorPerc: '3.00' }] },
  };
  await check('PUT', `/cobv/${DUE}`, 201, cobv({ valor: reduced }));
  await check('PUT', `/cobv/${DUE}`, 400, cobv({ devedor: {} }));
  await check('PATCH', `/cobv/${DUE}`, 200, {
    valor: { original: '120.00', desconto: { modalidade: 3, valorPerc: '0.10' } },
  });
  const paid = (await bank.order('/payments', { clientId: 'M1', txid: TXID, infoPagador: 'Obrigada' })).body;
  await bank.order('/payments', { clientId: 'M1', txid: DUE, at: '2027-03-20T12:00:00Z' });
  await bank.order('/payments', { chave: KEY, amount: '1.00' });
  const refund = `/pix/${paid.endToEndId}/devolucao/D1`;
  await check('PUT', refund, 201, { valor: '10.00', natureza: 'ORIGINAL', descricao: 'Devolvido' });
  await check('PUT', refund, 400, { valor: '10.01' });
  await bank.order('/taken-back', { endToEndId: paid.endToEndId });
  await check('GET', refund, 200);
  await check('GET', `/pix/${paid.endToEndId}/devolucao/D2`, 404);
  await check('GET', `/pix/${paid.endToEndId}`, 200);
  await check('GET', `/pix/E${'0'.repeat(31)}`, 404);
  const bounds = '?inicio=2020-01-01T00:00:00Z&fim=2030-01-01T00:00:00Z';
  for (const list of ['/cob', '/cobv', '/pix']) {
    const page = await check('GET', `${list}${bounds}&paginacao.itensPorPagina=1`, 200);
    assert.equal(
      page.body.parametros.paginacao.quantidadeDePaginas,
      page.body.parametros.paginacao.quantidadeTotalDeItens,
    );
    await check('GET', `${list}?inicio=2020-01-01T00:00:00Z`, 400);
    await check('GET', `${list}?fim=2020-01-01T00:00:00Z&inicio=2030-01-01T00:00:00Z`, 400);
  }
  for (const [path, unknown] of [
    [`/cob/${TXID}`, `/cob/${DUE}`],
    [`/cobv/${DUE}`, `/cobv/${TXID}`],
  ] as const) {
    await check('GET', path, 200);
    await check('GET', `${path}?revisao=0`, 200);
    await check('GET', unknown, 404);
    await check('PATCH', unknown, 404, {});
  }
  await check('DELETE', `/webhook/${KEY}`, 204);
  await check('DELETE', `/webhook/${KEY}`, 404);
  const isDone = (operation: string) =>
    [200, 201, 204].some((status) => checked.has(`${operation} ${status}`));
  const missing = SPECIFIED_OPERATIONS.filter((operation) => !isDone(operation));
  assert.deepEqual(
    missing.filter((operation) => !/rec|cobr/.test(operation)),
    [],
  );
});

test('each operation wants its scope', async (t) => {
  const bank = await startPixBank(t);
  const bounds = '?inicio=2020-01-01T00:00:00Z&fim=2030-01-01T00:00:00Z';
  const asked: [string, string, object?][] = [
    ['PUT', `/cob/${TXID}`, cob()],
    ['PATCH', `/cob/${TXID}`, {}],
    ['GET', `/cob/${TXID}`],
    ['GET', `/cob${bounds}`],
    ['PUT', `/cobv/${DUE}`, cobv()],
    ['GET', `/cobv${bounds}`],
    ['GET', `/pix${bounds}`],
    ['PUT', `/webhook/${KEY}`, { webhookUrl: 'https://shop.invalid' }],
    ['GET', '/webhook'],
  ];
  for (const [method, path, body] of asked) {
    const scope = scopeOf(operationOf(method, path)) ?? '';
    const let_in = await bank.client('M1', scope);
    const kept_out = await bank.client('M1', scope === 'cob.read' ? 'pix.read' : 'cob.read');
    assert.notEqual((await let_in(method, path, body)).status, 403, `${method} ${path}`);
    const refused = await kept_out(method, path, body);
    assert.equal(refused.status, 403, `${method} ${path}`);
    assert.equal(answerFault(operationOf(method, path), 403, refused.body), null);
  }
});
