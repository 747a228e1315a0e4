import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { call, logIn, pay, paymentRequest } from '../kit/merchant.ts';
import {
  databaseUrl,
  openSimulator,
  type Service,
  type Simulator,
  startService,
  until,
} from '../kit/service.ts';
import { type Cluster, type Clusters, openClusters, openSignpost, type Signpost } from './clusters.ts';

/** A server that a service has worked on, and that is stopped: what the tests begin with is a copy of it. */
let clusters: Clusters;
let origin: Cluster;
let simulator: Simulator;
let folder: string;
let merchantId: string;
let login: { userName: string; password: string };

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-promoted-'));
  clusters = await openClusters();
  origin = await clusters.make();
  await origin.start();
  const first = await startService({ folder, settings: { DATABASE_URL: databaseUrl(origin.address) } });
  const demo = await first.demo();
  merchantId = demo.merchantId;
  login = demo.gateway;
  await first.stop();
  await origin.stop();
  simulator = await openSimulator(join(folder, 'ledger'));
});

after(async () => {
  await simulator.stop();
  await clusters.close();
  await rm(folder, { recursive: true, force: true });
});

const startAt = (address: Cluster['address'] | string) =>
  startService({
    folder,
    settings: {
      DATABASE_URL: typeof address === 'string' ? address : databaseUrl(address),
      PARCELA_ACQUIRER_URL: simulator.url,
    },
  });

/** One address with the hosts of several servers, which are folders of sockets here. */
function severalHosts(...clusters: readonly Cluster[]): string {
  const hosts = clusters.map(({ folder: host }) => `${encodeURIComponent(host)}:5432`);
  return `postgres://parcela:none@${hosts.join(',')}/postgres`;
}

/** A primary and a standby that follows it; `settings` of the primary. */
async function followed(settings: Readonly<Record<string, string>>): Promise<[Cluster, Cluster]> {
  const primary = await origin.copy();
  const standby = await origin.copy();
  await standby.leave('standby.signal');
  await primary.start();
  await standby.start({
    primary_conninfo: `host=${primary.folder} port=5432 user=parcela application_name=standby`,
  });
  await until(
    'the standby follows',
    async () => (await primary.sql('select * from pg_stat_replication')).length === 1,
  );
  for (const [name, value] of Object.entries(settings)) {
    await primary.sql(`alter system set ${name} = '${value}'`);
  }
  await primary.sql('select pg_reload_conf()');
  if ('synchronous_standby_names' in settings) {
    await until('it is a synchronous one', async () => {
      const rows = await primary.sql(`select from pg_stat_replication where sync_state = 'sync'`);
      return rows.length === 1;
    });
  }
  return [primary, standby];
}

async function promote(standby: Cluster): Promise<void> {
  await standby.sql('select pg_promote(true, 60)');
}

async function readiness(service: Service): Promise<string> {
  const answer = await fetch(new URL('/health/ready', service.gatewayUrl));
  const { reason } = (await answer.json()) as { reason?: string };
  return reason ?? String(answer.status);
}

const untilReadiness = (service: Service, wanted: string) =>
  until(`its readiness is ${wanted}`, async () => (await readiness(service)) === wanted, 60_000);

async function timelineOf(cluster: Cluster): Promise<unknown> {
  return (await cluster.sql('select timeline::int from database_stamp'))[0]?.timeline;
}

async function withService(
  address: Cluster['address'] | string,
  use: (service: Service, token: string) => Promise<void>,
): Promise<void> {
  const service = await startAt(address);
  try {
    await use(service, await logIn(service.gatewayUrl, login));
  } finally {
    await service.stop();
  }
}

async function withSignpost(first: Cluster, use: (signpost: Signpost) => Promise<void>): Promise<void> {
  const signpost = await openSignpost(first);
  try {
    await use(signpost);
  } finally {
    await signpost.close();
  }
}

test('a service that lived through the promotion of a synchronous standby goes on by itself', async () => {
  const [primary, standby] = await followed({ synchronous_standby_names: '*' });
  await withSignpost(primary, (signpost) =>
    withService(signpost.address, async (service, token) => {
      const paid = await pay(service.gatewayUrl, token, 1_000);
      assert.equal(paid.reply.status, 200, paid.reply.text);
      await primary.stop('immediate');
      signpost.pointTo(standby);
      await promote(standby);
      await untilReadiness(service, '200');
      assert.equal(await timelineOf(standby), 2);
      assert.ok(service.said.some((line) => /A standby was promoted/.test(line)));
      const paidAfter = await pay(service.gatewayUrl, token, 1_000);
      assert.equal(paidAfter.reply.status, 200, paidAfter.reply.text);
    }),
  );
  // It vouched for all: one that begins now compares with what it stamped.
  await withService(standby.address, async (service) => assert.equal(await readiness(service), '200'));
  await standby.stop();
});

test('connections that were opened before a promotion hold nothing behind it', async () => {
  const [primary, standby] = await followed({ synchronous_standby_names: '*' });
  await withSignpost(primary, (signpost) =>
    withService(signpost.address, async (service, token) => {
      const paid = await pay(service.gatewayUrl, token, 1_000);
      await primary.stop('immediate');
      signpost.pointTo(standby);
      await untilReadiness(service, 'unwritable');
      const path = `/v1/payments/${paid.reply.body.paymentAuthorization.paymentId}`;
      const read = () =>
        Promise.all(Array.from({ length: 24 }, () => call(service.gatewayUrl, path, { token })));
      // Reads keep more connections open than the beats close until the standby is promoted.
      const promoted = promote(standby);
      let isPromoted = false;
      void promoted.finally(() => {
        isPromoted = true;
      });
      while (!isPromoted) assert.ok((await read()).some(({ status }) => status === 200));
      await promoted;
      await untilReadiness(service, '200');
      const paidAfter = await pay(service.gatewayUrl, token, 1_000);
      assert.equal(paidAfter.reply.status, 200, paidAfter.reply.text);
    }),
  );
  await standby.stop();
});

test('with several hosts a service goes to the one that takes writes, and back with it', async () => {
  const [first, second] = await followed({ synchronous_standby_names: '*' });
  // The standby stands first: it is asked, and not used.
  await withService(severalHosts(second, first), async (service, token) => {
    const paid = await pay(service.gatewayUrl, token, 1_000);
    assert.equal(paid.reply.status, 200, paid.reply.text);
    await first.stop('immediate');
    await untilReadiness(service, 'databaseAway');
    await promote(second);
    await untilReadiness(service, '200');
    assert.equal(await timelineOf(second), 2);
    // The former primary comes back and takes writes, as one that was cut off does: nobody follows it.
    await first.start({ synchronous_standby_names: '' });
    await second.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parcela'`,
    );
    const again = await until('it is paid on', async () => {
      // Until the connections are there anew a card token is refused too.
      const paidOn = await pay(service.gatewayUrl, token, 1_000).catch(() => null);
      return paidOn?.reply.status === 200 && paidOn.request.referenceTransaction;
    });
    const rows = (cluster: Cluster) =>
      cluster.sql(`select from transactions where reference_transaction = '${again}'`);
    assert.deepEqual([(await rows(first)).length, (await rows(second)).length], [0, 1]);
    assert.equal(await readiness(service), '200');
  });
  await first.stop();
  await second.stop();
});

test('a server that only reads is not used where several hosts are named, nor waited for without end', async () => {
  const [primary, standby] = await followed({});
  await primary.stop('immediate');
  const settings = {
    DATABASE_URL: severalHosts(primary, standby),
    PARCELA_ACQUIRER_URL: simulator.url,
    PARCELA_DATABASE_WAIT_SECONDS: '1',
  };
  await assert.rejects(startService({ folder, settings }), /no host takes writes .*: it takes no writes/);
  await standby.stop();
});

test('behind asynchronous replication a promotion is held: what was acknowledged last may be missing', async () => {
  const [primary, standby] = await followed({});
  await withSignpost(primary, (signpost) =>
    withService(signpost.address, async (service, token) => {
      await primary.stop('immediate');
      signpost.pointTo(standby);
      await promote(standby);
      await untilReadiness(service, 'restored');
      assert.equal(await timelineOf(standby), 1);
      const body = paymentRequest('x', 1_000);
      const refused = await call(service.gatewayUrl, '/v1/payments', { token, body });
      assert.equal(refused.status, 503, refused.text);
    }),
  );
  await standby.stop();
});

test('a point-in-time recovery that no service lived through is held at the start', async () => {
  const recovered = await origin.copy();
  await recovered.leave('recovery.signal');
  await recovered.start({ restore_command: 'false' });
  await until('it takes writes', async () => {
    const [row] = await recovered.sql('select pg_is_in_recovery() as is_recovering');
    return row?.is_recovering === false;
  });
  await withService(recovered.address, async (service) => {
    assert.equal(await readiness(service), 'restored');
    assert.ok(
      service.said.some((line) => /recovered or promoted: it was stamped as .* timeline 1 /.test(line)),
    );
    assert.equal(await timelineOf(recovered), 1);
    const rows = await recovered.sql(
      `select count(*)::int as count from merchants where merchant_id = '${merchantId}'`,
    );
    assert.equal(rows[0]?.count, 1);
  });
  await recovered.stop();
});

test('a living service that is led to an earlier state of its own server misses its beats, and holds everybody', async () => {
  const earlier = await origin.copy();
  const now = await origin.copy();
  await now.start();
  await withSignpost(now, (signpost) =>
    withService(signpost.address, async (service) => {
      await until(
        'it has beaten',
        async () => (await now.sql('select from service_beats where beat > 2')).length > 0,
      );
      await earlier.start();
      signpost.pointTo(earlier);
      await untilReadiness(service, 'restored');
      await until('it tells the others', async () => {
        const [row] = await earlier.sql('select doubt from database_stamp');
        return /commits were lost/.test(String(row?.doubt));
      });
      await withService(earlier.address, async (other) => assert.equal(await readiness(other), 'restored'));
      signpost.pointTo(now);
      await untilReadiness(service, '200');
    }),
  );
  await Promise.all([earlier.stop(), now.stop()]);
});

test('the fitness of a running server is asked again: unfit and read-only are held until they are mended', async () => {
  const server = await origin.copy();
  await server.start();
  const change = async (command: string) => {
    await server.sql(command);
    await server.sql('select pg_reload_conf()');
  };
  await withService(server.address, async (service) => {
    await change('alter system set synchronous_commit = off');
    await untilReadiness(service, 'unfit');
    await change('alter system reset synchronous_commit');
    await untilReadiness(service, '200');
    await change('alter system set default_transaction_read_only = on');
    await untilReadiness(service, 'unwritable');
    await change('alter system set default_transaction_read_only = off');
    await untilReadiness(service, '200');
  });
  await server.stop();
});

test('synchronous_commit local beside a synchronous standby is refused at the start', async () => {
  const server = await origin.copy();
  await server.start({ synchronous_standby_names: 'absent', synchronous_commit: 'local' });
  await assert.rejects(startAt(server.address), /synchronous_commit is local beside a synchronous standby/);
  await server.stop();
});

test('a server that keeps its identity to itself is served, with a warning', async () => {
  const server = await origin.copy();
  await server.start();
  await server.sql('create role shy login');
  await server.sql('create database shy owner shy');
  const address = { ...server.address, user: 'shy', database: 'shy' };
  const revoke = new pg.Client({ ...server.address, database: 'shy' });
  await revoke.connect();
  await revoke.query('revoke execute on function pg_control_system() from public');
  await revoke.end();
  const service = await startAt(address);
  assert.equal(await readiness(service), '200');
  assert.ok(service.said.some((line) => /does not say who it is/.test(line)));
  await service.stop();
  await server.stop();
});
