import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readDecline } from '../../src/providers/acquirers/issuer-code.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import {
  allGuides,
  type Extra,
  fileOf,
  guideFolder,
  losingAnswers,
  runGuide,
  snippetsOfGuide,
} from './guide-run.ts';

type Language = 'pt' | 'en';
const LANGUAGES: readonly Language[] = ['pt', 'en'];

let service: TestService;
let folder: string;
before(async () => {
  service = await openTestService();
  folder = await mkdtemp(join(tmpdir(), 'parcela-guides-'));
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const NO_ANSWER = 'docs/pt/sem-resposta.md';
/** Of the two orders whose answer the guide says to be lost. */
const LOST_KEYS = ['PEDIDO-3001-1', 'PEDIDO-3003-1'];

const NOTIFICATIONS = 'docs/pt/notificacoes.md';
/** Genuine, of a type that is not there yet, and of no movement: of the next ids none may be taken. */
const OF_NO_MOVEMENT: Extra = {
  after: 3,
  program: `import { createHmac } from 'node:crypto';
const { SECRET, PORT } = process.env;
const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64');
for (let number = 1; number <= 20; number += 1) {
  const body = JSON.stringify({ type: 'Novidade', nsu: '1' });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hmac = createHmac('sha256', key).update(\`\${number}.\${timestamp}.\${body}\`);
  const headers = {
    'webhook-id': String(number),
    'webhook-timestamp': timestamp,
    'webhook-signature': \`v1,\${hmac.digest('base64')}\`,
  };
  const { status } = await fetch(\`http://localhost:\${PORT}/\`, { method: 'POST', headers, body });
  console.log(status);
}`,
};

/** What a reader sees, snippet by snippet of the shell. */
const SEEN: Readonly<Record<string, (printed: readonly string[], language: Language) => void>> = {
  'docs/pt/primeiro-pagamento.md': (printed, language) => {
    assert.match(printed[2] ?? '', /"paymentAuthorization":\{"returnCode":"0"/);
    assert.match(printed[3] ?? '', /"statusDescription":"Autorizada"/);
    const { help } = readDecline('mastercard', '51', null);
    assert.ok(printed[4]?.includes(`"buyerMessage":"${help.buyer[language]}"`), printed[4] ?? '');
  },
  [NOTIFICATIONS]: ([, registered, sold, unknown, down, back, repeated, checked]) => {
    assert.match(registered ?? '', /"delivered":true/);
    for (const line of ['1: Autorizada', '2: Autorizada', '1: Paga'])
      assert.match(sold ?? '', new RegExp(`> nsu \\d+, installment ${line}\n`));
    assert.equal((unknown ?? '').trim(), Array(20).fill('200').join('\n'));
    assert.match(down ?? '', /"status":"GivenUp"/);
    assert.doesNotMatch(down ?? '', /> nsu/);
    assert.match(back ?? '', /> nsu \d+, installment 2: Bloqueada\n/);
    assert.match(back ?? '', /"delivered":true.*"resent":\d/s);
    assert.doesNotMatch(repeated ?? '', /> nsu/);
    assert.match(checked ?? '', /"type":"(?:Autorizacao|Boleto)"/);
  },
  'docs/pt/cartao-na-pagina.md': ([put]) => assert.match(put ?? '', /"key":"[0-9a-f]{32}"/),
  'docs/pt/recorrencia.md': ([, , planned, subscribed, paid, empty, changed, page, ended]) => {
    assert.match(planned ?? '', /"retriesOn":\["/);
    assert.match(subscribed ?? '', /"status":"Opened"/);
    assert.match(paid ?? '', /"status":"Paid".*"total":1\b/s);
    assert.match(empty ?? '', /"status":"Opened".*"nextChargeOn":".*"rule":"Retry"/s);
    assert.match(changed ?? '', /"status":"Paid".*"outcome":"Approved"/s);
    assert.match(page ?? '', /"url":".*\/subscription\//);
    assert.match(ended ?? '', /"statusReason":"ByMerchant"/);
  },
  [NO_ANSWER]: ([lost, repeated, asked, silent, program]) => {
    assert.equal(lost?.trim(), '');
    assert.match(repeated ?? '', /HTTP\/1\.1 200.*idempotent-replayed: true.*"returnCode":"0"/is);
    assert.match(asked ?? '', /"total":1\b/);
    assertChargedOnce(asked ?? '');
    assert.match(silent ?? '', /HTTP\/1\.1 500.*"status":"undone"/s);
    assert.doesNotMatch(silent ?? '', /"status":"approved"/);
    assert.match(program ?? '', /^200 [\da-f-]{36}$/m);
    assertChargedOnce(program ?? '');
  },
  'docs/pt/captura-posterior.md': ([, held, captured, again, given, forgotten]) => {
    assert.match(held ?? '', /"statusDescription":"Pré-autorizada"/);
    const answer = /\{"captureAuthorization":\{.*?"amount":24900\b.*?\}\}/;
    assert.match(captured ?? '', /"captureAuthorization".*"statusDescription":"Autorizada"/s);
    assert.equal(answer.exec(again ?? '')?.[0], answer.exec(captured ?? '')?.[0]);
    for (const printed of [given, forgotten]) assert.match(printed ?? '', /"statusDescription":"Desfeita"/);
  },
  'docs/pt/console.md': ([invited, , registered, cards, declined, month]) => {
    assert.match(invited ?? '', /\/console\/links\/[\w-]{20,}/);
    assert.match(registered ?? '', /"url":"http:\/\/localhost:\d+\/"/);
    assert.match(cards ?? '', /"name":"visa-declines-1","number":"4000050000000114"/);
    assert.match(declined ?? '', /"tag":"51".*"paymentAuthorization":\{"returnCode":"0"/s);
    // The receiver prints when it is notified, be it between two snippets.
    assert.match(`${declined}${month}`, /> Autorizacao/);
    assert.match(month ?? '', /"ran":\{"changes":[1-9]/);
    assert.match(month ?? '', /> Pagamento/);
  },
  'docs/pt/pix.md': ([, charged, paid, back]) => {
    assert.match(charged ?? '', /"pixEmv":"0002/);
    assert.match(paid ?? '', /"kind":"expected"/);
    assert.match(back ?? '', /"isPartlyReturned":true/);
  },
  'docs/pt/links-de-pagamento.md': ([, made, paid, late]) => {
    assert.match(made ?? '', /"url":"http[^"]*\/pay\/[0-9a-f]{32}"/);
    assert.match(paid ?? '', /"status":"waiting".*"status":"Pago".*"method":"pix","isOpen":false/s);
    assert.match(late ?? '', /"status":"Desativado".*"receivedValue":50/s);
  },
  'docs/pt/boletos.md': ([, issued, shown, paid, late, canceled, expired, listed, imported]) => {
    assert.match(issued ?? '', /"statusBill":1\b/);
    const line = /"digitableLine":"(\d{47})"/.exec(issued ?? '')?.[1];
    const [typed, pdf] = (shown ?? '').trim().split('\n');
    assert.equal(typed?.replaceAll(/[. ]/g, ''), line);
    assert.equal(pdf, '200 application/pdf');
    assert.match(paid ?? '', /"statusDescription":"Pago".*"effectivePaymentValue":149\.90?\b/s);
    assert.match(late ?? '', /"statusDescription":"Vencido".*"effectivePaymentValue":15\d\.\d/s);
    assert.match(canceled ?? '', /"statusDescription":"Cancelado"/);
    assert.match(expired ?? '', /"statusDescription":"Expirado"/);
    // In the order of due days; those of one day stand in any order.
    for (const status of [2, 4, 5]) assert.ok(listed?.includes(`"statusBill":${status},`), `${status}`);
    assert.match(imported ?? '', /^Taken: bank 237 \(Bradesco\), .*^changes of our boletos +[1-9]/ms);
  },
  // They need an acquirer's credentials, or another gateway's requests: nothing of them is run.
  'docs/pt/adquirentes.md': (printed) => assert.deepEqual(printed, []),
  'docs/pt/o-que-mudou.md': (printed) => assert.deepEqual(printed, []),
  'docs/pt/producao.md': ([looked, created, sold]) => {
    assert.match(looked ?? '', /key/i);
    assert.match(created ?? '', /LOJA\d+.*gateway.*integration/s);
    assert.match(sold ?? '', /"status":"ok".*"statusDescription":"Autorizada".*"returnCode":"0"/s);
    assert.match(sold ?? '', /"type":"Autorizacao".*"type":"Cancelamento"/s);
  },
};

/** By the acquirer's own ledger. */
function assertChargedOnce(printed: string): void {
  assert.equal(printed.match(/"status":"approved"/g)?.length, 1, printed);
}

for (const guide of allGuides()) {
  for (const language of LANGUAGES) {
    const path = guide[language];
    test(`${path} works as it is pasted`, async () => {
      const seen = SEEN[guide.pt];
      assert.ok(seen !== undefined, `say in SEEN what a reader of ${guide.pt} sees`);
      const demo = await service.demo();
      const lossy = await losingAnswers(service.gatewayUrl, LOST_KEYS);
      try {
        const gatewayUrl = guide.pt === NO_ANSWER ? lossy.url : demo.gatewayUrl;
        const here = await guideFolder(join(folder, language, guide.pt), { ...demo, gatewayUrl });
        const extra = guide.pt === NOTIFICATIONS ? OF_NO_MOVEMENT : undefined;
        seen(await runGuide(path, here, service, extra), language);
        if (guide.pt === NO_ANSWER) {
          assert.deepEqual(lossy.lost, LOST_KEYS);
          assert.deepEqual(lossy.refused, [401, 503]);
        }
      } finally {
        await lossy.close();
      }
    });
  }
}

test('what a guide shows is run, unless it is marked as shown only', () => {
  for (const path of allGuides().flatMap(({ pt, en }) => [pt, en])) {
    for (const snippet of snippetsOfGuide(path)) {
      const isRun = snippet.language === 'sh' || fileOf(snippet) !== null;
      assert.notEqual(
        isRun,
        snippet.isShownOnly,
        `${path}: ${snippet.language} ${snippet.text.slice(0, 80)}`,
      );
    }
  }
});
