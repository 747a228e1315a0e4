import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { openDatabase, statement } from '../../src/platform/postgres/database.ts';
import { DatabaseUnavailable } from '../../src/platform/postgres/database-errors.ts';
import { Overloaded } from '../../src/platform/work/fair-line.ts';
import { auditedTools } from '../kit/keys.ts';
import { call } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { databaseSettings, type Service, startService, until } from '../kit/service.ts';
import { openCuttingProxy } from '../kit/wire-cutter.ts';
import { createLogin, createShop, operator } from '../merchants/merchants-door.ts';
import { type AuditService, openAuditService, runParcela, verify } from './audit-service.ts';

let setup: AuditService;

before(async () => {
  setup = await openAuditService({
    PARCELA_LOGIN_FAILURES_PER_USER_NAME: '1000000',
    PARCELA_LOGIN_FAILURES_PER_ADDRESS: '1000000',
  });
  await createShop(setup.pool, 'busy');
});
after(() => setup.close());

const OTHER_SETTINGS = { PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9' };

function startBeside(): Promise<Service> {
  return startService({
    folder: setup.folder,
    settings: { ...databaseSettings(setup.database), ...OTHER_SETTINGS },
  });
}

async function numbersOf(where: string): Promise<{ count: number; last: number }> {
  const [row] = await setup.auditor.query(
    `select count(*)::int as count, coalesce(max(entry_number), 0)::int as last from audit_entries where ${where}`,
  );
  return row as { count: number; last: number };
}

test('two services and an operator write at once: no number is missing, none is double, nothing waits for ever', async (context) => {
  const other = await startBeside();
  context.after(() => other.stop());
  const before = await numbersOf('true');
  const logins = await Promise.all([1, 2, 3].map(() => createLogin(setup.pool, 'busy')));
  const { audit, operator: actor } = await auditedTools(setup.pool);
  const event = {
    ...actor,
    action: 'card.read',
    outcome: 'success',
    resource: 'merchants/busy/cards/1',
  } as const;
  const asked: Promise<unknown>[] = [];
  for (let round = 0; round < 10; round += 1) {
    for (const [index, login] of logins.entries()) {
      asked.push(logInPatiently((round + index) % 2 === 0 ? setup : other, login));
    }
    asked.push(audit.record(event));
    asked.push(createLogin(setup.pool, 'busy'));
  }
  await Promise.all(asked);
  const after = await numbersOf('true');
  // Three credentials, then 30 logins, 10 reads and 10 credentials; a request that had to come
  // again may stand there twice.
  assert.ok(after.count - before.count >= 53, String(after.count - before.count));
  assert.equal(after.count, after.last);
  assert.equal((await verify(setup.pool)).isWhole, true);
});

/** A machine with more to do than it can answers 503, and its callers come again. */
async function logInPatiently(
  { gatewayUrl }: Pick<Service, 'gatewayUrl'>,
  { userName, password }: { readonly userName: string; readonly password: string },
): Promise<void> {
  await until('the login is granted', async () => {
    const { status } = await call(gatewayUrl, '/api/auth/token', { body: { userName, password } });
    assert.ok([200, 503].includes(status), String(status));
    return status === 200;
  });
}

test('after kill -9 under load the log is whole, and holds every login that was answered', async () => {
  const { userName, password } = await createLogin(setup.pool, 'busy');
  for (let kill = 0; kill < sliceOf(4, 1); kill += 1) {
    const service = await startBeside();
    let answered = 0;
    const isAccepted = `action = 'login.accept' and actor = '${userName}'`;
    const before = await numbersOf(isAccepted);
    const callers = Array.from({ length: 6 }, async () => {
      try {
        while (true) {
          const { status } = await call(service.gatewayUrl, '/api/auth/token', {
            body: { userName, password },
          });
          if (status === 200) answered += 1;
        }
      } catch {
        // The service is gone.
      }
    });
    await until('some were answered', async () => answered > 3 + kill);
    await service.kill();
    await Promise.all(callers);
    const after = await numbersOf(isAccepted);
    assert.ok(after.count - before.count >= answered, `${after.count - before.count} of ${answered}`);
    const { count, last } = await numbersOf('true');
    assert.equal(count, last);
  }
  assert.equal((await verify(setup.pool)).isWhole, true);
});

test('a new key for the seals is put to use while services write, and nobody notices', async () => {
  const { userName, password } = await createLogin(setup.pool, 'busy');
  let isRotating = true;
  const statuses = new Set<number>();
  const callers = Array.from({ length: 3 }, async () => {
    while (isRotating) {
      const { status } = await call(setup.gatewayUrl, '/api/auth/token', { body: { userName, password } });
      // A machine with more to do than it can answers 503, also where nobody rotates.
      if (status !== 503) statuses.add(status);
    }
  });
  for (let rotation = 0; rotation < 2; rotation += 1) {
    const { exitCode, errors } = await runParcela(setup.database, setup.folder, [
      'key',
      'rotate',
      '--kind',
      'audit',
    ]);
    assert.equal(exitCode, 0, errors);
    // This process too has to learn of the new key by itself.
    await createLogin(setup.pool, 'busy');
  }
  isRotating = false;
  await Promise.all(callers);
  assert.deepEqual(statuses, new Set([200]));
  const [keys] = await setup.auditor.query(
    'select count(distinct data_key_id)::int as count from audit_entries',
  );
  assert.equal(keys?.count, 3);
  assert.equal((await verify(setup.pool)).isWhole, true);
});

test('a broken connection, before the commit or after it, leaves each entry once', async () => {
  const proxy = await openCuttingProxy(setup.database.runtime);
  const database = openDatabase(proxy.address, () => {});
  try {
    const { audit, operator: actor } = await auditedTools(database);
    const record = (id: string) =>
      audit.record({ ...actor, action: 'card.read', outcome: 'success', resource: `cut/${id}` });
    await record('warm');
    proxy.cutBefore('audit.hold_head');
    await record('before hold');
    proxy.cutBefore('audit.append');
    await record('before append');
    proxy.cutAfter('audit.append');
    await record('after append');
    proxy.cutBefore('commit');
    await record('before commit');
    proxy.cutAfter('commit');
    await record('after commit');
    proxy.cutAfter('commit');
    await Promise.all(Array.from({ length: 20 }, (_, index) => record(`crowd ${index}`)));
    assert.equal(proxy.cuts, 6);
    const rows = await setup.auditor.query(
      `select resource, count(*)::int as count from audit_entries where resource like 'cut/%' group by resource`,
    );
    assert.equal(rows.length, 26);
    assert.deepEqual(new Set(rows.map(({ count }) => count)), new Set([1]));
    assert.equal((await verify(setup.pool)).isWhole, true);
  } finally {
    await database.close();
    await proxy.close();
  }
});

const LOOK = statement('test.look', 'select true as is_there');

test('a commit from which no event follows does not wait for the log, which another holds', async () => {
  const { audit, operator: actor } = await auditedTools(setup.pool);
  const event = { ...actor, action: 'card.read', outcome: 'success', resource: 'elsewhere' } as const;
  const locker = new pg.Client(setup.database.address);
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query('select from audit_head for update');
    const rows = await audit.transaction((tx) => tx.query(LOOK, []));
    assert.deepEqual(rows, [{ is_there: true }]);
    const recorded = audit.transaction(async (tx) => {
      await tx.query(LOOK, []);
      tx.record(event);
    });
    await assert.rejects(recorded, /the audit log cannot be written/);
  } finally {
    await locker.end();
  }
});

test('while the database is away nothing is answered as written', async () => {
  const proxy = await openCuttingProxy(setup.database.runtime);
  const database = openDatabase(proxy.address, () => {});
  try {
    const { audit, operator: actor } = await auditedTools(database);
    await proxy.goAway();
    const event = { ...actor, action: 'card.read', outcome: 'success', resource: 'away' } as const;
    await assert.rejects(
      audit.record(event),
      (error) => error instanceof DatabaseUnavailable || error instanceof Overloaded,
    );
    await assert.rejects(
      operator(database, ['credential', 'disable', '--user-name', 'nobody']),
      /cannot be reached/,
    );
  } finally {
    await proxy.comeBack();
    await database.close();
    await proxy.close();
  }
});
