import assert from 'node:assert/strict';
import { chmod, glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../homologation/embedded-postgres/launcher.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { databaseUrl, type Service, startService, until } from '../kit/service.ts';

/** How many starts under kills: RESTARTS=20 npm test -- test/start/restarts.test.ts */
const RESTARTS = Number(process.env.RESTARTS ?? sliceOf(10, 2));
const CALLERS = 8;
const ANSWERS_BEFORE_A_KILL = 25;

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-restarts-'));
  // Under root the account of PostgreSQL must pass through.
  await chmod(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Pays until the service is gone; gives the payments that were answered 200, and reports each answer. */
async function payUntilGone(service: Service, token: string, onAnswer: () => void): Promise<string[]> {
  const approved: string[] = [];
  const caller = async () => {
    for (;;) {
      const answered = await pay(service.gatewayUrl, token, 1_000).catch(() => null);
      if (answered === null) return;
      onAnswer();
      const { status, body } = answered.reply;
      if (status === 200) approved.push(body.paymentAuthorization.paymentId as string);
      // Its database is gone: so is this round.
      if (status === 503 || status === 500) return;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return approved;
}

/** Loads the service, and ends it in the way that is given once so many payments were answered. */
async function killUnderLoad(service: Service, kill: () => Promise<void>): Promise<string[]> {
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  let answers = 0;
  const paying = payUntilGone(service, token, () => {
    answers += 1;
  });
  await until('there is load', async () => answers >= ANSWERS_BEFORE_A_KILL);
  await kill();
  return paying;
}

async function checkApproved(service: Service, approved: readonly string[]): Promise<void> {
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  for (const paymentId of approved) {
    const { body } = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token });
    assert.equal(body.statusDescription, 'Autorizada', 'what was answered 200 outlives every kill');
  }
}

/** The process of the PostgreSQL in a data folder, once it is another than `not`. */
function serverOf(folder: string, not: number | null = null): Promise<number> {
  return until('a PostgreSQL runs', async () => {
    for await (const file of glob('postgres/**/postmaster.pid', { cwd: folder })) {
      const processId = Number((await readFile(join(folder, file), 'utf8').catch(() => '')).split('\n')[0]);
      if (processId > 0 && processId !== not) return processId;
    }
    return null;
  });
}

/** Milliseconds that the last recovery in the server's log took; 0: it had nothing to recover. */
async function recoveryIn(folder: string): Promise<number> {
  for await (const file of glob('postgres/**/server.log', { cwd: folder })) {
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
    const begun = lines.findLastIndex((line) => /starting PostgreSQL/.test(line));
    const at = (pattern: RegExp) => {
      const line = lines.slice(begun).find((one) => pattern.test(one));
      return line === undefined ? Number.NaN : Date.parse(`${line.slice(0, 23).replace(' ', 'T')}Z`);
    };
    return at(/ready to accept connections/) - at(/was interrupted|was shut down/) || 0;
  }
  return 0;
}

test(`${RESTARTS} starts after kills of service and PostgreSQL, none given up`, async (t) => {
  const folder = await newFolder(t);
  let service = await startService({ folder });
  t.after(() => service.stop());
  const approved: string[] = [];
  for (let round = 0; round < RESTARTS; round += 1) {
    const server = await serverOf(folder);
    const ways = ['both', 'PostgreSQL first', 'both, and again while it starts', 'service'] as const;
    const way = ways[round % ways.length] as (typeof ways)[number];
    const { kill } = service;
    approved.push(
      ...(await killUnderLoad(service, async () => {
        if (way !== 'service') process.kill(server, 'SIGKILL');
        if (way === 'PostgreSQL first')
          await until('the service notices', async () =>
            service.said.some((line) => /ended by itself/.test(line)),
          );
        await kill();
      })),
    );
    const begun = performance.now();
    const starting = startService({ folder });
    if (way === 'both, and again while it starts') process.kill(await serverOf(folder, server), 'SIGKILL');
    service = await starting;
    const milliseconds = Math.round(performance.now() - begun);
    t.diagnostic(`${way}: ready after ${milliseconds} ms, of which recovery ${await recoveryIn(folder)} ms`);
    if (way === 'both, and again while it starts') assert.match(service.said.join('\n'), /starting it again/);
  }
  assert.ok(approved.length > 0);
  await checkApproved(service, approved);
});

test(`${RESTARTS} starts beside a PostgreSQL that is on its way up, none given up`, async (t) => {
  const [folder, place] = [await newFolder(t), await newFolder(t)];
  const options = { folder: place, stateFolder: join(place, 'state'), say: () => {} };
  let server: EmbeddedPostgres = await startEmbeddedPostgres(options);
  t.after(() => server.stop());
  const settings = { DATABASE_URL: databaseUrl(server.connection) };
  let service = await startService({ folder, settings });
  t.after(() => service.stop());
  const approved: string[] = [];
  for (let round = 0; round < RESTARTS; round += 1) {
    const ended = server.exited;
    approved.push(
      ...(await killUnderLoad(service, async () => {
        process.kill(server.processId, 'SIGKILL');
        await service.kill();
      })),
    );
    await ended;
    const starting = startService({ folder, settings });
    server = await startEmbeddedPostgres(options);
    if (round % 2 === 1) {
      // Down once more while the service finds its way in.
      const again = server.exited;
      process.kill(server.processId, 'SIGKILL');
      await again;
      server = await startEmbeddedPostgres(options);
    }
    service = await starting;
  }
  await checkApproved(service, approved);
});
