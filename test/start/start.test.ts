import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommandHere } from '../kit/command.ts';
import { call, logIn, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import { type Service, startService } from '../kit/service.ts';
import { startHereInVain } from '../kit/service-here.ts';

let folder: string;
let service: Service;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-start-'));
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** So that an acquirer that is silent is given up soon. */
const settings = { PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '700' };

/** A start with settings that must be refused; gives its exit code and what it said. */
const startInVain = (settings: Record<string, string>) =>
  startHereInVain({
    PARCELA_PORT: '0',
    PARCELA_DATA_DIR: folder,
    PARCELA_DATABASE_WAIT_SECONDS: '0',
    ...settings,
  });

async function alive(processId: number): Promise<boolean> {
  try {
    return !/\) Z /.test(await readFile(`/proc/${processId}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The processes that hold this folder: PostgreSQL and the simulator name it in their command lines. */
async function processesOf(path: string): Promise<string[]> {
  const { readdir } = await import('node:fs/promises');
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(path) && (await alive(Number(name)))) found.push(line.replaceAll('\0', ' '));
  }
  return found;
}

test('the first start makes everything that a payment needs', async () => {
  service = await startService({ folder, settings });
  const demo = await service.demo();
  assert.equal((await stat(join(folder, 'demo.json'))).mode & 0o777, 0o600);
  const token = await logIn(service.gatewayUrl, demo.gateway);
  const { reply } = await pay(service.gatewayUrl, token, 1000);
  assert.equal(reply.status, 200, reply.text);
});

test('a second start on the same folder refuses and says why', async () => {
  const { code, said } = await startInVain({});
  assert.equal(code, 1);
  assert.match(said, new RegExp(folder));
  assert.match(said, /already|in use|another/i);
});

test('after kill -9 the next start stops what was left, says so, and everything is there', async () => {
  const demo = await service.demo();
  const token = await logIn(service.gatewayUrl, demo.gateway);
  const { reply } = await pay(service.gatewayUrl, token, 2000);
  await service.kill();
  service = await startService({ folder, settings });
  assert.match(service.said.join('\n'), /stopp|left/i);
  assert.deepEqual(await service.demo(), {
    ...demo,
    gatewayUrl: service.gatewayUrl,
    integrationUrl: service.integrationUrl,
  });
  const read = await call(service.gatewayUrl, `/v1/payments/${reply.body.paymentAuthorization.paymentId}`, {
    token,
  });
  assert.equal(read.body.statusDescription, 'Autorizada', 'the token and the payment outlive the kill');
});

test('when its PostgreSQL is killed the service ends with a word, and the next start recovers', async () => {
  const ended = new Promise((resolve) => service.process.once('exit', resolve));
  const serverId = Number(
    (
      await readFile(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => findServerId())
    ).split('\n')[0],
  );
  process.kill(serverId, 'SIGKILL');
  assert.equal(await ended, 1);
  assert.match(service.said.join('\n'), /PostgreSQL ended by itself/);
  const doctor = await runCommandHere(['doctor'], {
    PARCELA_ENVIRONMENT: 'homologation',
    PARCELA_DATA_DIR: folder,
  });
  assert.match(
    doctor.printed,
    /^WARNING {2}processes\.lifeless: no process .* since 2.*Z; its own PostgreSQL was down too/m,
  );
  service = await startService({ folder, settings });
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  assert.equal((await pay(service.gatewayUrl, token, 3000)).reply.status, 200);
});

async function findServerId(): Promise<string> {
  const { glob } = await import('node:fs/promises');
  for await (const file of glob('postgres/**/postmaster.pid', { cwd: folder }))
    return readFile(join(folder, file), 'utf8');
  throw new Error('no server runs');
}

test('SIGTERM lets requests under way finish and leaves no process behind', async () => {
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const request = paymentRequest(await tokenize(service.gatewayUrl, token), 1001);
  const paying = call(service.gatewayUrl, '/v1/payments', { token, body: request });
  await new Promise((wake) => setTimeout(wake, 100));
  const code = await service.stop();
  assert.equal((await paying).status, 500, 'the answer of a silent acquirer, not a broken connection');
  assert.equal(code, 0);
  assert.deepEqual(await processesOf(folder), []);
  const noise = service.log.filter((line) => /connection broke|57P01/.test(line));
  assert.deepEqual(noise, [], 'a stop that went well says nothing of its connections');
});

test('unknown and contradictory settings are refused by name', async () => {
  const unknown = await startInVain({ PARCELA_PROT: '1', PARCELA_PORT: 'x' });
  assert.equal(unknown.code, 1);
  assert.match(unknown.said, /PARCELA_PROT: there is no such setting/);
  assert.match(unknown.said, /PARCELA_PORT: must be a whole number/);
  const contradiction = await startInVain({ PARCELA_REQUEST_DEADLINE_MILLISECONDS: '8500' });
  assert.match(contradiction.said, /PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS/);
  const addresses = await startInVain({
    PARCELA_TRUSTED_PROXIES: '10.0.0.0/8,here',
    PARCELA_METRICS_HOST: 'no where',
    PARCELA_WEBHOOK_NETWORKS: '10.1.0.0/16,10.0.0.1/8,there',
  });
  assert.match(addresses.said, /PARCELA_TRUSTED_PROXIES: .*"here"/);
  assert.match(addresses.said, /PARCELA_METRICS_HOST: .*"no where"/);
  for (const wrong of ['10.0.0.1/8', 'there'])
    assert.match(addresses.said, new RegExp(`PARCELA_WEBHOOK_NETWORKS: .*"${wrong}"`));
  const wide = ['0.0.0.0/0', '::/0', '0.0.0.0/1', '128.0.0.0/7', '2000::/3'];
  const everybody = await startInVain({ PARCELA_TRUSTED_PROXIES: `10.0.0.0/8,fc00::/7,${wide.join()}` });
  assert.equal(everybody.said.match(/PARCELA_TRUSTED_PROXIES: .* has strangers in it/g)?.length, wide.length);
  const mapped = await startInVain({ PARCELA_TRUSTED_PROXIES: '::ffff:0:0/96' });
  assert.match(mapped.said, /PARCELA_TRUSTED_PROXIES: 0\.0\.0\.0\/0 has strangers in it/);
  const clash = await startInVain({ PARCELA_PORT: '18999', PARCELA_METRICS_PORT: '18999' });
  assert.match(clash.said, /PARCELA_METRICS_PORT: 18999 is the port of an API/);
  const away = await startInVain({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    PARCELA_DATA_DIR: `${folder}-2`,
  });
  assert.match(away.said, /DATABASE_URL: .*ECONNREFUSED/);
  await rm(`${folder}-2`, { recursive: true, force: true });
});

test('production sends no card number in clear over a network', async () => {
  const settings = {
    PARCELA_ENVIRONMENT: 'production',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
  };
  const clear = await startInVain({ ...settings, PARCELA_ACQUIRER_URL: 'http://192.0.2.2:9000' });
  assert.match(clear.said, /PARCELA_ACQUIRER_URL: 192\.0\.2\.2:9000 would get card numbers in clear/);
  for (const url of [
    'https://192.0.2.2:9000',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
    'http://localhost:9000',
  ]) {
    const { said } = await startInVain({ ...settings, PARCELA_ACQUIRER_URL: url });
    assert.doesNotMatch(said, /in clear/, url);
  }
});

test('production refuses the embedded database, the simulator and plain HTTP beyond loopback', async () => {
  const { code, said } = await startInVain({ PARCELA_ENVIRONMENT: 'production', PARCELA_HOST: '0.0.0.0' });
  assert.equal(code, 1);
  for (const name of ['DATABASE_URL', 'PARCELA_ACQUIRER_URL', 'PARCELA_GATEWAY_HOST'])
    assert.match(said, new RegExp(name));
});
