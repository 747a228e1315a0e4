import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { runCommandHere } from '../kit/command.ts';
import { call, encryptCard, logIn, TEST_CARD } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { databaseSettings, openTestService, type TestService, until } from '../kit/service.ts';

const PARCELA = fileURLToPath(new URL('../../bin/parcela', import.meta.url));

let service: TestService;
before(async () => {
  service = await openTestService();
});
after(() => service?.close());

test('an import that is killed wherever it is, and begun again, has taken every row once', async () => {
  const { merchantId, gateway } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  const { key } = (await call(service.gatewayUrl, '/v1/cards/public-key', { token })).body;
  const inside = { cardNumber: TEST_CARD, merchantId, createdAt: new Date().toISOString() };
  const encryptedCard = await encryptCard(key, inside);
  const planId = randomUUID();
  const plan = { type: 'plan', id: planId, name: 'Clube', description: 'Um livro', amount: 10 };
  const lines: object[] = [{ ...plan, planType: 'Monthly', paymentMethod: 'CreditCard' }];
  const many = sliceOf(20_000, 1_000);
  const firstDueOn = addDays(saoPauloDay(instant(Date.now())), 30);
  const named = { cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  for (let row = 0; row < many; row += 1) {
    const vaultId = randomUUID();
    lines.push({ type: 'card', vaultId, encryptedCard, ...named });
    lines.push({
      type: 'subscription',
      id: randomUUID(),
      planId,
      vaultId,
      orderNumber: `P-${row}`,
      firstDueOn,
    });
  }
  const path = join(service.folder, 'many.jsonl');
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const settings = { ...databaseSettings(service.database), PARCELA_DATA_DIR: service.folder };
  const words = ['import', path, '--merchant', merchantId, '--json'];
  const count = async (table: 'vault_cards' | 'subscriptions' | 'billings') => {
    const [row] = await service.auditor.query(
      `select count(*)::int as count from ${table} where merchant_id = $1`,
      [merchantId],
    );
    return row?.count as number;
  };
  const kills = sliceOf(8, 1);
  for (let kill = 1; kill <= kills; kill += 1) {
    const before = await count('vault_cards');
    const enough = Math.min(many - 1, before + randomInt(Math.ceil(many / (kills + 1))));
    const child = spawn(PARCELA, words, {
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    const ended = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    await until('a batch more', async () => child.exitCode !== null || (await count('vault_cards')) > enough);
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGKILL');
    const [, signal] = await ended;
    assert.equal(signal, 'SIGKILL', `it was over before it was killed: ${said}`);
  }
  const { code, printed, said } = await runCommandHere(words, settings);
  assert.equal(code, 0, said);
  const { card, subscription } = JSON.parse(printed);
  assert.deepEqual([card.taken + card.known, subscription.taken + subscription.known], [many, many]);
  assert.ok(card.known > 0 && subscription.taken > 0);
  for (const table of ['vault_cards', 'subscriptions', 'billings'] as const)
    assert.equal(await count(table), many, table);
  const [owed] = await service.auditor.query(
    `select count(*)::int as billings, sum(amount)::int as cents from billings
     where merchant_id = $1 and state = 'opened' and charge_on = $2 and installment = 1`,
    [merchantId, firstDueOn],
  );
  assert.deepEqual(owed, { billings: many, cents: many * 1_000 });
});
