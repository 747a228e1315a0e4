import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arrive, jump, readClock, wallTime } from '../kit/clock.ts';
import { logIn } from '../kit/merchant.ts';
import { databaseSettings, openService, openTestService, type TestService, until } from '../kit/service.ts';

let service: TestService;
let token: string;

before(async () => {
  service = await openTestService({ PARCELA_CLOCK_ANSWER_MILLISECONDS: '1000' });
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  // As if every process were busy: no process claims a jump while this is on.
  await service.auditor.query(`create function nobody_claims() returns trigger language plpgsql as
    $$ begin return case when old.target_at is not null and new.fence > old.fence then null else new end; end $$`);
});
after(() => service?.close());

const holdJumps = () =>
  service.auditor.query(
    'create trigger nobody_claims before update on merchant_clocks for each row execute function nobody_claims()',
  );
const letJumpsGo = () => service.auditor.query('drop trigger nobody_claims on merchant_clocks');

/** Reads the clock until no jump is under way. */
const arrived = (url: string) =>
  until('the clock has arrived', async () => {
    const clock = await readClock(url, token);
    return clock.target === null && clock;
  });

test('a jump that takes long is answered 202, is shown on its way, refuses a second one, and arrives', async () => {
  const url = service.gatewayUrl;
  const { now: from } = await readClock(url, token);
  await holdJumps();
  const reply = await jump(url, token, { advanceDays: 10 });
  assert.equal(reply.status, 202, reply.text);
  const { target } = reply.body;
  assert.ok(wallTime(target) > wallTime(from));
  assert.equal((await readClock(url, token)).target, target);
  for (const body of [{ advanceDays: 1 }, { to: target }]) {
    const second = await jump(url, token, body);
    assert.equal(second.status, 409, second.text);
    assert.equal(second.body[0].tag, '__general__');
  }
  await letJumpsGo();
  const { now } = await arrived(url);
  assert.ok(wallTime(now) >= wallTime(target));
  await arrive(url, token, { advanceDays: 1 });
});

test('a jump whose process is gone is resumed by the next start, and a caller who waits for one lets it stop', async () => {
  await holdJumps();
  const reply = await jump(service.gatewayUrl, token, { advanceDays: 30 });
  assert.equal(reply.status, 202, reply.text);
  // What a process that took it along leaves behind, however it went: a lease that nobody renews.
  await service.auditor.query("update merchant_clocks set lease_expires_at = now() + interval '3 seconds'");
  await service.stop();
  await letJumpsGo();
  const settings = {
    ...databaseSettings(service.database),
    // Longer than a test may take: what waits for the answer fails.
    PARCELA_CLOCK_ANSWER_MILLISECONDS: '600000',
  };
  const again = await openService({ folder: service.folder, settings });
  try {
    const { now, ran } = await arrived(again.gatewayUrl);
    assert.ok(wallTime(now) >= wallTime(reply.body.target), now);
    assert.deepEqual(ran, {
      changes: 0,
      pix: 0,
      preauthorizations: 0,
      boletos: 0,
      billings: 0,
      notices: 0,
      deliveries: 0,
    });

    // A waiting caller does not keep the service from stopping.
    await holdJumps();
    const waiting = jump(again.gatewayUrl, token, { advanceDays: 5 });
    await until('the jump is stored', async () => (await readClock(again.gatewayUrl, token)).target);
    assert.deepEqual(await again.stop(), []);
    assert.equal((await waiting).status, 202);
    await letJumpsGo();
  } finally {
    await again.stop();
  }
});
