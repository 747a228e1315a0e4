import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { cob, cobr, cobv, KEY, rec, startPixBank } from './running-simulator.ts';

const txidOf = (index: number) => `T${String(index).padStart(31, '0')}`;
const now = '2027-01-01T12:00:00Z';

test('a restart changes no answer, but tokens', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startPixBank(t, { folder });
  const ask = await first.client();
  await ask('PUT', `/webhook/${KEY}`, { webhookUrl: `${first.url}/about` }, now);
  await ask('PUT', `/cob/${txidOf(1)}`, cob());
  await ask('PATCH', `/cob/${txidOf(1)}`, { valor: { original: '90.00' } });
  await ask('PUT', `/cob/${txidOf(2)}`, cob());
  await ask('PATCH', `/cob/${txidOf(2)}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  await ask('PUT', `/cobv/${txidOf(3)}`, cobv());
  const { endToEndId } = (await first.order('/payments', { clientId: 'M1', txid: txidOf(1) })).body;
  await first.order('/payments', { clientId: 'M1', txid: txidOf(3), at: '2027-03-12T12:00:00Z' });
  await first.order('/script', { clientId: 'M1', on: 'PUT /pix/devolucao', steps: [{ refund: 'waits' }] });
  await ask('PUT', `/pix/${endToEndId}/devolucao/A`, { valor: '1.00' });
  await ask('PUT', `/pix/${endToEndId}/devolucao/B`, { valor: '2.00' });
  const loc = (await ask('POST', '/locrec')).body;
  const { idRec } = (await ask('POST', '/rec', rec({ loc: loc.id }))).body;
  await ask('PATCH', `/rec/${idRec}`, { vinculo: { devedor: { nome: 'Ana Lima' } } });
  const calendario = { dataExpiracaoSolicitacao: '2027-03-05T12:00:00Z' };
  const destinatario = { cpf: '52998224725', conta: '1', ispbParticipante: '91193552' };
  await ask('POST', '/solicrec', { idRec, calendario, destinatario });
  await first.order('/authorizations', { idRec, act: 'accept' });
  await first.order('/payers', { idRec, steps: [{ plan: 'lacksFunds' }, { plan: 'rejects', code: 'AC06' }] });
  await ask('PUT', `/cobr/${txidOf(5)}`, cobr(idRec, '2027-02-10'));
  await ask('PUT', '/webhookcobr', { webhookUrl: `${first.url}/about` });
  const readAll = async (client: typeof ask, { read }: typeof first) => {
    const bounds = '?inicio=2020-01-01T00:00:00Z&fim=2030-01-01T00:00:00Z';
    const paths = [
      `/cob${bounds}`,
      `/cobv${bounds}`,
      `/pix${bounds}`,
      `/cob/${txidOf(1)}?revisao=0`,
      '/webhook',
    ];
    const answers = await Promise.all(paths.map((path) => client('GET', path)));
    return [...answers, await read('/ledger/charges'), await read('/ledger/pix')];
  };
  const before = await readAll(ask, first);
  await first.end('SIGTERM');
  const second = await startPixBank(t, { folder });
  const again = await second.client();
  assert.deepEqual(await readAll(again, second), before);
  await second.order('/clock', { clientId: 'M1', now: '2027-02-11T12:00:00Z' });
  const tried = (await again('GET', `/cobr/${txidOf(5)}`)).body;
  assert.deepEqual([tried.status, tried.tentativas[0].status], ['ATIVA', 'EXPIRADA']);
  const later = await again('PUT', `/cob/${txidOf(4)}`, cob());
  assert.equal(later.body.calendario.criacao, '2027-02-11T12:00:00.000Z', 'time does not go back');
});

test('every charge and Pix that was answered outlives kill -9, also with half a line behind it', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startPixBank(t, { folder });
  const ask = await first.client();
  const paid: string[] = [];
  const askers = Array.from({ length: 10 }, async (_, asker) => {
    for (let index = 0; ; index += 1) {
      const txid = txidOf(asker * 10_000 + index);
      const charged = await ask('PUT', `/cob/${txid}`, cob()).catch(() => null);
      const answer = charged && (await first.order('/payments', { clientId: 'M1', txid }).catch(() => null));
      if (answer === null) return;
      paid.push(answer.body.endToEndId);
      if (paid.length === 100) first.process.kill('SIGKILL');
    }
  });
  await Promise.all(askers);
  appendFileSync(join(folder, 'ledger.jsonl'), '{"type":"pix","at":1');
  const second = await startPixBank(t, { folder });
  const { items } = (await second.read('/ledger/pix')).body;
  const booked = new Set(items.map((item: { endToEndId: string }) => item.endToEndId));
  assert.ok(paid.length >= 100);
  assert.deepEqual(
    paid.filter((endToEndId) => !booked.has(endToEndId)),
    [],
  );
});

test('a line that is none, or contradicts those before it, refuses the start', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startPixBank(t, { folder });
  await first.client();
  await first.end('SIGKILL');
  const [line] = readFileSync(join(folder, 'ledger.jsonl'), 'utf8').split('\n');
  appendFileSync(join(folder, 'ledger.jsonl'), `${line}\n`);
  await assert.rejects(startPixBank(t, { folder }), /ended before it was ready/);
});
