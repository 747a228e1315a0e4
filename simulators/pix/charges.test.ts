import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBrCode } from '../../src/values/br-code.ts';
import { cob, cobv, KEY, startPixBank } from './running-simulator.ts';

const txidOf = (index: number) => `T${String(index).padStart(31, '0')}`;

test('one txid is one charge, however many ask at once, and says so after it is paid', async (t) => {
  const { client, order, read } = await startPixBank(t);
  const ask = await client();
  const path = `/cob/${txidOf(1)}`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('PUT', path, cob())));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.deepEqual([answers[0]?.status, answers[0]?.body.revisao], [201, 0]);
  const revised = await ask('PUT', path, cob({ valor: { original: '90.00' } }));
  assert.deepEqual([revised.body.revisao, revised.body.valor.original], [1, '90.00']);
  assert.equal((await ask('GET', `${path}?revisao=0`)).body.valor.original, '100.00');
  assert.equal((await ask('GET', `${path}?revisao=2`)).status, 400);
  await order('/payments', { clientId: 'M1', txid: txidOf(1) });
  const again = await ask('PUT', path, cob({ valor: { original: '90.00' } }));
  assert.deepEqual([again.status, again.body.status], [201, 'CONCLUIDA']);
  const other = await ask('PUT', path, cob());
  assert.equal(other.body.type, 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida');
  assert.deepEqual(other.body.violacoes[0].propriedade, 'cob.status');
  assert.equal((await ask('PUT', `/cobv/${txidOf(1)}`, cobv())).body.violacoes[0].propriedade, 'cobv.txid');
  assert.equal((await read('/ledger/charges')).body.items.length, 1);
});

test('what is refused names its violation, and leaves the txid free', async (t) => {
  const { client } = await startPixBank(t);
  const ask = await client();
  const path = `/cob/${txidOf(1)}`;
  const faults: readonly [string, object][] = [
    ['cob.valor.original', { valor: { original: '100' } }],
    ['cob.valor.original', { valor: { original: '0.00' } }],
    ['cob.calendario.expiracao', { calendario: { expiracao: 0 } }],
    ['cob.devedor', { devedor: { cpf: '52998224725', cnpj: '11222333000181', nome: 'Ana' } }],
    ['cob.chave', { chave: 'nothing' }],
    ['cob.solicitacaoPagador', { solicitacaoPagador: 'x'.repeat(141) }],
    ['cob.infoAdicionais', { infoAdicionais: [{ nome: 'x'.repeat(51), valor: 'y' }] }],
    ['cob.loc.id', { loc: { id: 7 } }],
  ];
  for (const [field, changed] of faults) {
    const { status, body } = await ask('PUT', path, cob(changed));
    assert.deepEqual(
      [status, body.violacoes.map((one: { propriedade: string }) => one.propriedade)],
      [400, [field]],
    );
  }
  const reductions: readonly [string, object][] = [
    ['cobv.calendario.dataDeVencimento', { calendario: { dataDeVencimento: '2020-01-01' } }],
    [
      'cobv.valor.abatimento',
      { valor: { original: '10.00', abatimento: { modalidade: 2, valorPerc: '100.00' } } },
    ],
    ['cobv.valor.desconto', { valor: { original: '10.00', desconto: { modalidade: 3 } } }],
  ];
  for (const [field, changed] of reductions) {
    const { body } = await ask('PUT', `/cobv/${txidOf(2)}`, cobv(changed));
    assert.equal(body.violacoes[0].propriedade, field);
  }
  assert.equal((await ask('PUT', '/cob/short', cob())).status, 400);
  assert.equal((await ask('PUT', path, cob())).status, 201);
  const stranger = await client('M2');
  assert.equal((await stranger('GET', path)).status, 404);
  assert.match((await stranger('PUT', path, cob())).body.violacoes[0].razao, /não pertence/);
});

test('a charge is taken away alone and only while it is active', async (t) => {
  const { client, order } = await startPixBank(t);
  const ask = await client();
  const path = `/cob/${txidOf(1)}`;
  await ask('PUT', path, cob());
  const status = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
  assert.equal((await ask('PATCH', path, { status, valor: { original: '1.00' } })).status, 400);
  assert.equal((await ask('PATCH', path, { status: 'CONCLUIDA' })).status, 400);
  assert.equal((await ask('PATCH', path, { status })).body.status, status);
  assert.equal((await ask('PATCH', path, { status })).status, 400);
  assert.equal((await ask('PATCH', path, { valor: { original: '1.00' } })).status, 400);
  const refused = await order('/payments', { clientId: 'M1', txid: txidOf(1) });
  assert.deepEqual([refused.status, refused.body.reason], [409, 'removed']);
  const late = await order('/payments', { clientId: 'M1', txid: txidOf(1), force: true });
  assert.equal(late.status, 201);
  assert.equal((await ask('GET', path)).body.status, status);
  await ask('PUT', `/cob/${txidOf(2)}`, cob());
  const removed = await order('/removals', { clientId: 'M1', txid: txidOf(2) });
  assert.equal(removed.body.status, 'REMOVIDA_PELO_PSP');
});

test('a payer pays by the text of the code, once, in time and the amount, unless it is forced', async (t) => {
  const { client, order } = await startPixBank(t);
  const ask = await client();
  const now = '2027-05-01T12:00:00.000Z';
  const { body } = await ask('PUT', `/cob/${txidOf(1)}`, cob(), now);
  assert.equal(body.calendario.criacao, now);
  const code = readBrCode(body.pixCopiaECola);
  assert.equal(code.kind === 'brCode' && code.url, body.location);
  const pay = (changed: object) => order('/payments', { code: body.pixCopiaECola, ...changed });
  const reasons: unknown[] = [];
  const refuse = async (changed: object) => reasons.push((await pay(changed)).body.reason);
  await refuse({ amount: '99.99' });
  await refuse({ at: '2027-05-01T13:00:00Z' });
  const paid = await pay({ at: '2027-05-01T12:59:59Z' });
  assert.deepEqual([paid.body.valor, paid.body.horario], ['100.00', '2027-05-01T12:59:59.000Z']);
  await refuse({});
  assert.deepEqual(reasons, ['amount', 'expired', 'paid']);
  await pay({ force: true, amount: '1.00' });
  const { pix } = (await ask('GET', `/cob/${txidOf(1)}`)).body;
  assert.deepEqual(
    pix.map((one: { valor: string }) => one.valor),
    ['100.00', '1.00'],
  );
  const open = await ask(
    'PUT',
    `/cob/${txidOf(2)}`,
    cob({ valor: { original: '5.00', modalidadeAlteracao: 1 } }),
  );
  assert.equal((await order('/payments', { code: open.body.pixCopiaECola, amount: '7.50' })).status, 201);
  assert.equal((await order('/payments', { code: '000201' })).status, 404);
});

test('a due day brings fine, interest, reduction and discount, and days on which nobody works are free', async (t) => {
  const { client, order } = await startPixBank(t);
  const ask = await client();
  // A Saturday: due on Monday, 2027-03-15, and payable until Thursday.
  const calendario = { dataDeVencimento: '2027-03-13', validadeAposVencimento: 3 };
  const valor = {
    original: '100.00',
    multa: { modalidade: 2, valorPerc: '2.00' },
    juros: { modalidade: 3, valorPerc: '3.00' },
    abatimento: { modalidade: 1, valorPerc: '10.00' },
    desconto: {
      modalidade: 1,
      descontoDataFixa: [
        { data: '2027-03-10', valorPerc: '5.00' },
        { data: '2027-03-05', valorPerc: '8.00' },
      ],
    },
  };
  const paidOn = async (index: number, day: string) => {
    await ask('PUT', `/cobv/${txidOf(index)}`, cobv({ calendario, valor }));
    const paid = await order('/payments', { clientId: 'M1', txid: txidOf(index), at: `${day}T15:00:00Z` });
    return paid.body.valor ?? paid.body.reason;
  };
  const days = ['05', '10', '15', '16', '18', '19'].map((day) => `2027-03-${day}`);
  const paid = await Promise.all(days.map((day, index) => paidOn(index, day)));
  // 2 % and three days of 3 % a month, less the reduction.
  assert.deepEqual(paid, ['82.00', '85.00', '90.00', '92.10', '92.30', 'expired']);
});

test('lists give every charge and Pix of their time once, page by page', async (t) => {
  const { client, order } = await startPixBank(t);
  const ask = await client();
  for (let index = 0; index < 5; index += 1) {
    await ask('PUT', `/cob/${txidOf(index)}`, cob(), `2027-05-0${index + 1}T12:00:00Z`);
    await order('/payments', { clientId: 'M1', txid: txidOf(index) });
  }
  await order('/payments', { chave: KEY, amount: '3.00' });
  const bounds = 'inicio=2027-05-02T00:00:00Z&fim=2027-05-31T00:00:00Z';
  for (const [list, count] of [
    ['cob', 4],
    ['pix', 5],
  ] as const) {
    const found: string[] = [];
    for (let page = 0; page < 3; page += 1) {
      const { body } = await ask(
        'GET',
        `/${list}?${bounds}&paginacao.paginaAtual=${page}&paginacao.itensPorPagina=2`,
      );
      const items = body[list === 'cob' ? 'cobs' : 'pix'];
      found.push(...items.map((item: Record<string, string>) => item.txid ?? item.endToEndId));
      assert.equal(body.parametros.paginacao.quantidadeTotalDeItens, count);
    }
    assert.equal(new Set(found).size, count);
  }
  const ofCharges = await ask('GET', `/pix?${bounds}&txIdPresente=true`);
  assert.equal(ofCharges.body.pix.length, 4);
  const paid = await ask('GET', `/cob?${bounds}&status=CONCLUIDA&cpf=52998224725`);
  assert.deepEqual([paid.body.cobs.length, paid.body.parametros.status], [4, 'CONCLUIDA']);
  const stranger = await client('M2');
  assert.deepEqual((await stranger('GET', `/pix?${bounds}`)).body.pix, []);
});

test('a charge is repeated soundly behind its due day, and no request is too odd to be answered', async (t) => {
  const { client, order, url } = await startPixBank(t);
  const ask = await client();
  const path = `/cobv/${txidOf(1)}`;
  const first = await ask('PUT', path, cobv());
  const later = await ask('PUT', path, cobv(), '2027-03-15T12:00:00Z');
  assert.deepEqual(later, first);
  const revised = await ask('PATCH', path, { valor: { original: '90.00' } });
  assert.deepEqual([revised.status, revised.body.revisao], [200, 1]);
  const odd: [string, string, object?][] = [
    ['PATCH', path],
    ['PUT', `/cob/${txidOf(2)}`],
    ['PUT', `/cob/${txidOf(2)}`, []],
    ['PUT', `/cobv/${txidOf(2)}`, cobv({ calendario: { dataDeVencimento: '9999-12-31' } })],
    ['GET', '/cob?inicio=0000-01-01T00:00:00Z&fim=x'],
    ['POST', '/rec', { calendario: 5 }],
  ];
  for (const [method, at, body] of odd)
    assert.equal((await ask(method, at, body)).status, 400, `${method} ${at}`);
  assert.equal((await ask('GET', '/cob/%E0%A4%A')).status, 404);
  assert.equal((await fetch(`${url}//?%`)).status, 404);
  const far = { clientId: 'M1', txid: txidOf(1), at: '0001-01-01T00:00:00Z' };
  assert.deepEqual((await order('/payments', far)).body, { error: 'malformed', field: 'at' });
  assert.equal((await ask('PUT', `/cob/${txidOf(3)}`, cob(), '9999-01-01T00:00:00Z')).status, 201);
});
