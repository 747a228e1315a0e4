import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import type { ReportBody } from '../../src/platform/process-reports/process-report.ts';
import { auditedTools } from '../kit/keys.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let admin: Visitor;
before(async () => {
  service = await openTestService();
  admin = await signedIn(service, 'admin', null);
});
after(() => service.close());

async function health(): Promise<string> {
  const { status, text } = await admin.turnTo('/console/health');
  assert.equal(status, 200, text);
  return wordsOf(text);
}

/** It is read once for all who look at it within some seconds. */
function healthWith(words: RegExp): Promise<string> {
  return until(`${words} is shown`, async () => {
    const shown = await health();
    return words.test(shown) ? shown : null;
  });
}

/** As another process would have written it down. */
async function report(change: Partial<ReportBody>, ageSeconds = 0): Promise<void> {
  const body: ReportBody = {
    host: 'outra-maquina',
    pid: 7,
    version: '9.9.9',
    cell: null,
    roles: ['resolving'],
    heldBecause: null,
    connections: { used: 1, most: 12, waiting: 0 },
    isAuditBroken: false,
    peers: [],
    charges: [],
    clockAheadSeconds: 0,
    ...change,
  };
  await service.auditor.query(
    "insert into process_reports (process_id, report, reported_at) values ($1, $2, now() - $3 * interval '1 second')",
    [randomUUID(), JSON.stringify(body), ageSeconds],
  );
}

test('what nobody has verified is said to be so', async () => {
  const words = await health();
  assert.match(words, /Nenhum dia foi verificado ainda/);
  assert.match(
    words,
    /Cadeia do registro de auditoria Íntegra .*A cadeia inteira não foi verificada ultimamente/,
  );
  assert.match(words, /Banco de dados \d+(,\d)? (MB|GB) Um servidor sem standby\./);
});

test('a process writes down how those answer whom it asks, and what it is', async () => {
  const words = await healthWith(/Adquirente Responde \d/);
  assert.match(words, /Normal: tudo é consultado/);
  assert.match(words, /Funciona 0\.\d+\.\d+ – http, charging, webhooks, resolving, reconciliation/);
});

test('what other processes know stands beside it: silence, a held one, another version, one that has ended', async () => {
  const now = Date.now();
  const silent = {
    peer: 'acquirer',
    state: 'silent',
    since: now - 600_000,
    answeredAt: now - 700_000,
    awayFor: ['charge'],
    awayProviders: ['default'],
    reason: 'no answer in time',
    feedAgeSeconds: 3_600,
  } as const;
  const unknown = {
    ...silent,
    peer: 'drex',
    awayFor: [],
    answersIn: [{ provider: 'dx', milliseconds: 9_000 }],
  };
  const slow = {
    peer: 'antifraud',
    state: 'answers',
    since: now,
    answeredAt: now,
    awayFor: [],
    awayProviders: [],
    reason: null,
    feedAgeSeconds: null,
    answersIn: [
      { provider: 'lento', milliseconds: 4_150 },
      { provider: 'rapido', milliseconds: 40 },
    ],
  } as const;
  const charges = [
    { provider: 'rede', brand: 'visa', approved: 97, declined: 3, unanswered: 2 },
    { provider: 'cielo', brand: 'elo', approved: 1, declined: 1, unanswered: 0 },
  ];
  await report({ peers: [silent, unknown, slow], charges, heldBecause: 'unwritable' });
  await report({ host: 'maquina-velha', heldBecause: 'restored' }, 3_600);
  const words = await healthWith(/Adquirente Responde parcialmente.*maquina-velha/s);
  assert.match(
    words,
    /O que está sem confirmação \(Cobranças no cartão\) é consultado .*; novas vendas são enviadas do mesmo jeito\./,
  );
  assert.match(words, /Da última vez: sem resposta a tempo/);
  assert.match(words, /Bandeira cielo rede Visa – 97% de 100, 2 sem resposta conclusiva Elo 50% de 2 –/);
  assert.match(
    words,
    /Precisa de atenção .*Provedor antifraude 4,2 s \(lento\) Responde devagar: no processo mais lento/,
  );
  assert.match(words, /Responde em 4,2 s \(lento\), 40 ms \(rapido\)/);
  assert.match(
    words,
    /drex Indisponível .*drex 9 s \(dx\) Responde devagar.*drex 1 hora .*O que está em ordem/,
  );
  assert.match(words, /drex Indisponível \d.*O que precisa dele espera ou falha até ele responder\./);
  assert.match(words, /1 de 2 processos não cobram, .*o disco está cheio/);
  assert.ok(!words.includes('foi restaurado'), 'one that has ended holds nothing');
  assert.match(words, /maquina-velha \(7\) Sem sinal 9\.9\.9/);
  assert.match(
    words,
    /Precisa de atenção .*1 de 2 processos não cobram.* Processos sem sinal 1 .*: maquina-velha\./,
  );
  assert.match(words, /Há mais de uma versão em execução/);
});

test('a machine whose clock is wrong is named, and a bank of Pix that is away by what it is', async () => {
  const now = Date.now();
  const away = {
    peer: 'pix',
    state: 'silent',
    since: now - 60_000,
    answeredAt: null,
    feedAgeSeconds: null,
    awayFor: ['pix'],
    awayProviders: ['itau'],
    reason: 'no connection (there is no such name: ENOTFOUND)',
  } as const;
  await report({ host: 'relogio-errado', clockAheadSeconds: 3_600, peers: [away] });
  await report({ host: 'relogio-quase', clockAheadSeconds: -3 });
  const words = await healthWith(/O relógio de relogio-errado não é o do banco de dados/);
  assert.ok(!words.includes('O relógio de relogio-quase'));
  assert.match(words, /1 hora atrasado em relação ao banco de dados/);
  assert.match(words, /3 segundos adiantado em relação ao banco de dados/);
  assert.match(words, /Banco do Pix Responde parcialmente/);
  assert.match(words, /sem confirmação \(Pix\) é consultado .* \(itau\)/);
  assert.match(words, /Da última vez: sem conexão \(esse nome não existe: ENOTFOUND\)/);
});

test('hostile texts of another process are shown as texts', async () => {
  await report({ host: '<script>alert(1)</script>', heldBecause: '<img src=x>', roles: ['<b>'] });
  await healthWith(/alert\(1\)/);
  const { text } = await admin.turnTo('/console/health');
  assert.ok(!/<script>|<img|<b>/.test(text));
  assert.ok(text.includes('&lt;script&gt;alert(1)'));
});

test('a report of a night is shown with its seal, and one that was altered as such', async () => {
  const [key] = await service.auditor.query(
    "select data_key_id from data_keys where purpose = 'audit' limit 1",
  );
  await service.auditor.query(
    `insert into truth_reports (day, charges, differences, report, data_key_id, seal)
     values ('2026-11-20', 1234, 0, '{}', $1, decode(repeat('00', 32), 'hex'))`,
    [key?.data_key_id],
  );
  await healthWith(/1\.234 cobranças conferidas em 20\/11\/2026, 0 divergem; o selo não é nosso/);
  await service.auditor.query(
    `insert into truth_differences (merchant_id, transaction_id, installment_number, class, amount)
     values ('MUITA', gen_random_uuid(), 1, 'booksDiffer', 100)`,
  );
  await healthWith(/arquivos e razão Diverge 1\.234 cobranças .*, 0 divergem; .* Há uma divergência agora\./);
});

test('a count that ended at its bound says that there may be more', async () => {
  assert.ok(!(await health()).includes('ou mais'));
  await service.auditor.query(
    `insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, amount)
     select 'MUITA', gen_random_uuid(), concat('teste', n), 'notInFile', 'open', 1 from generate_series(1, 100000) n`,
  );
  const words = await healthWith(/100\.000 ou mais/);
  assert.match(words, /Exceções abertas 100\.000 ou mais R\$ 1\.000,00 ou mais entre arquivos e o esperado/);
  assert.match(words, /Não consta no arquivo 100\.000 ou mais R\$ 1\.000,00 ou mais/);
  assert.match(words, /Pendentes de confirmação 0 /);
  assert.match(wordsOf((await admin.turnTo('/console/exceptions')).text), /R\$ 1\.000,00 100\.000 ou mais/);
});

test('who has verified the audit log, and when, is shown; where it is read only those see who may', async () => {
  const pool = openDatabase(service.database.runtime, () => {});
  try {
    const { audit } = await auditedTools(pool);
    const event = { actor: 'ana', origin: 'aqui', outcome: 'success', resource: 'audit' } as const;
    await audit.record({ ...event, action: 'audit.verify' });
  } finally {
    await pool.close();
  }
  await healthWith(/A cadeia inteira foi verificada por ana em/);
  const { text } = await admin.turnTo('/console/health');
  assert.ok(text.includes('href="/console/audit?action=audit.verify"'));
  const viewer = await signedIn(service, 'viewer', null);
  assert.ok(!(await viewer.turnTo('/console/health')).text.includes('/console/audit?'));
});

test('a Pix of which nothing is known is counted and listed', async () => {
  await service.auditor.query(
    `insert into pix_charges (merchant_id, pix_id, account_number, txid, page_key, state, amount, expires_in_seconds, expires_at,
       created_by, requested_at, changed_at, bank, due_at, unknown_since, unknown_reason)
     values ('MUITA', $1, '1', repeat('a', 32), repeat('0', 32), 'issuing', 5000, 3600, now() + interval '1 hour',
       'loja', now(), now(), 'itau', now() + interval '1 hour', now() - interval '20 minutes', 'no connection (EAI_AGAIN)')`,
    [randomUUID()],
  );
  await healthWith(/Pendentes de confirmação 1 o mais antigo há 20 minutos.* Pix 1 20 minutos/s);
  const words = wordsOf((await admin.turnTo('/console/unresolved?kind=pix')).text);
  assert.match(words, /No banco 1, R\$ 50,00/);
  assert.match(words, /Pix MUITA R\$ 50,00 20 minutos .*sem conexão \(EAI_AGAIN\)/);
  const { text } = await admin.turnTo('/console/unresolved?kind=pixAuthorization');
  assert.match(wordsOf(text), /Nenhuma pendência encontrada/);
});
