import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Delay } from '../../src/platform/process-reports/process-report.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let merchantId: string;
let token: string;
let viewer: Visitor;
before(async () => {
  service = await openTestService();
  const { gateway, ...demo } = await service.demo();
  ({ merchantId } = demo);
  token = await logIn(service.gatewayUrl, gateway);
  viewer = await signedIn(service, 'viewer', merchantId);
});
after(() => service.close());

const today = async () => wordsOf((await viewer.turnTo(`/console/merchants/${merchantId}/today`)).text);

/** Reports are read once in some seconds. */
const todayWith = (words: RegExp) =>
  until(`${words} is shown`, async () => {
    const shown = await today();
    return words.test(shown) ? shown : null;
  });

test('a merchant is told which method is slow since when, and what it means, without the name of who answers', async () => {
  assert.doesNotMatch(await today(), /mais lenta|sem resposta/);
  const steps = Array.from({ length: 6 }, () => ({ delayMilliseconds: 3_200 }));
  const path = '/homologation/acquirer/script';
  const scripted = await call(service.gatewayUrl, path, { method: 'PUT', token, body: { steps } });
  assert.equal(scripted.status, 200, scripted.text);
  await Promise.all(steps.map(() => pay(service.gatewayUrl, token, 1_000)));
  const words = await todayWith(/mais lenta/);
  assert.match(
    words,
    /Pagamentos com cartão: resposta mais lenta que o normal desde [\d/]{10}, [\d:]{8} \. As vendas continuam\. O que ficar em “Processando” se resolve sozinho: não cobre de novo\./,
  );
  assert.doesNotMatch(words, /\(default\)|Pix: |boletos: /);
});

/** As another process writes it down. */
async function report(peer: string, delays: readonly Delay[]): Promise<void> {
  const times = { since: Date.now(), answeredAt: null, feedAgeSeconds: null, reason: null };
  const seen = { peer, state: 'answers', awayFor: [], awayProviders: [], ...times, delays };
  await service.auditor.query('insert into process_reports (process_id, report) values ($1, $2)', [
    randomUUID(),
    JSON.stringify({ host: 'outra-maquina', peers: [seen] }),
  ]);
}

test('what another process waits for is told as well, of those that the merchant is routed to', async () => {
  const since = Date.now() - 600_000;
  await service.auditor.query(
    `insert into providers (kind, name, adapter, url, created_by)
     values ('bank', 'itau', 'bridge', 'https://itau.example', 'test')`,
  );
  await report('bank', [{ provider: 'itau', since, silentSince: since }]);
  await report('pix', [{ provider: 'default', since, silentSince: since }]);
  await todayWith(/Novas cobranças Pix: sem resposta desde .* As novas esperam ou são recusadas/);
  const route = (position: number, condition: string) =>
    service.auditor.query(
      `insert into provider_rules (kind, merchant_id, provider, condition, position)
       values ('bank', $1, 'itau', $2, $3)`,
      [merchantId, condition, position],
    );
  await route(1, 'amount=1-500');
  await todayWith(/Parte da emissão de boletos: sem resposta desde .* Os novos esperam ou são recusados/);
  await route(2, '');
  await todayWith(/Emissão de boletos: sem resposta desde/);
  await service.auditor.query('delete from provider_rules');
  await until('no rule leads there', async () => {
    const shown = await today();
    return /Pix: sem resposta/.test(shown) && !/boletos: sem/.test(shown) ? shown : null;
  });
});
