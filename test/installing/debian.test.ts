import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { skipWithout } from '../../tools/test-programs.ts';
import { snippetsOf } from '../architecture/translations.ts';
import { cleanEnvironment, until } from '../kit/service.ts';
import { type Machine, openMachine, whyNoMachine } from './debian/open-machine.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OFFLINE = /\b(ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\b/;
const INSTALL = '/opt/parcela-*/deploy/debian/install.sh --database db.internal:5432';
const SITE = 'CURL_CA_BUNDLE=/root/acquirer/authority.pem';
const SITE_AUTHORITY = `export ${SITE}`;
const CARD = '5155901222280001\nmastercard\nANA SOUZA\n12\n39\n123\n';

const release = await mkdtemp(join(tmpdir(), 'parcela-debian-release-'));
after(() => rm(release, { recursive: true, force: true }));
const skip = whyNoMachine() || (await pack());

/** With the Node of this machine: the namespace has none that is used. */
async function pack(): Promise<string | false> {
  const words = ['tools/release.ts', '--with-node', '--to', release];
  return promisify(execFile)(process.execPath, words, { cwd: ROOT, env: cleanEnvironment({}) }).then(
    () => false as const,
    (error: Error) => {
      if (!OFFLINE.test(error.message)) throw error;
      return 'no registry answers, and the cache of npm lacks packages of package-lock.json';
    },
  );
}

async function withMachine(proof: string, work: (machine: Machine) => Promise<void>): Promise<void> {
  const machine = await openMachine(release, proof);
  try {
    await machine.must('tar xzf /srv/release/parcela-*.tar.gz -C /opt');
    await work(machine);
  } catch (error) {
    const logs = await machine.run(
      'systemctl --failed; journalctl --no-pager -n 60; tail -n 5 /var/log/*.log',
    );
    throw new Error(`${(error as Error).stack}\n${logs.printed}`);
  } finally {
    await machine.close();
  }
}

/** It asks for what only an operator has, by name, and does nothing behind it. */
async function asksFor(machine: Machine, command: string, what: RegExp): Promise<void> {
  const { code, printed, said } = await machine.run(command);
  assert.equal(code, 1, printed + said);
  assert.match(printed, what);
}

async function pidOf({ must }: Machine, unit: string): Promise<string> {
  return (await must(`systemctl show -p MainPID --value ${unit}`)).trim();
}

/** What lies on the machine, with its owner, mode and time, and which processes run. */
function stateOf({ must }: Machine): Promise<string> {
  return must(
    `find /etc /opt /usr/local /var/lib/parcela -name node_modules -prune -o -printf '%p %M %u %g %T@ %s\\n' | grep -v '^/opt.*/built/' | sort; systemctl show -p MainPID 'parcela@*' haproxy`,
  );
}

/** The credential of a merchant, and a sale through the proxy. */
async function sells(machine: Machine): Promise<void> {
  const made = await machine.run(
    `parcela merchant create --cnpj 11.444.777/0001-61 --legal-name 'Loja Exemplo Ltda.' --merchant-id LOJA1 --account 2000001 \
      --contact-name Ana --contact-email ana@example.com --contact-phone '+55 11 4000 0000' --address 127.0.0.1`,
  );
  assert.equal(made.code, 0, made.said);
  assert.match(
    made.said,
    /^production \(\/etc\/parcela\/parcela\.env\): database parcela at db\.internal:5432\n/,
  );
  await machine.must(
    'parcela credential create --merchant LOJA1 --scope gateway --json > /root/credential.json',
  );
  const sale = `${SITE} /opt/parcela/deploy/debian/first-sale.sh https://api.company.example /root/credential.json`;
  const sold = await machine.must(sale, CARD);
  assert.match(sold, /^sold R\$ 1\.00: payment \S+, reference first-sale-\w+, Autorizada$/m);
  assert.match(sold, /^given back: Desfeita$|^given back: Cancelada$/m);
}

async function isWhole(machine: Machine): Promise<void> {
  const { must } = machine;
  const entries = JSON.parse(await must('parcela audit list --action schema.migrate --json')) as {
    items: unknown[];
  };
  const applied = await must(
    `runuser -u postgres -- psql --no-psqlrc -tAc 'select count(*) from schema_migrations' parcela`,
  );
  assert.equal(entries.items.length, Number(applied));
  const { printed } = await machine.run('parcela doctor');
  assert.doesNotMatch(printed, /^FAULT/m, printed);
  const modes = await must(`stat -c '%n %U:%G %a' /etc/parcela /etc/parcela/key /etc/parcela/parcela.env`);
  assert.match(modes, /^\/etc\/parcela root:parcela 750\n\S+key root:root 600\n\S+env root:parcela 640$/m);
  const stranger = await machine.run('runuser -u www-data -- parcela merchant list');
  assert.match(stranger.said, /this account may not read .*run the command as root/);
  // What serves is not root, and got its secrets as files of its own.
  const service = await pidOf(machine, 'parcela@8081');
  assert.match(await must(`stat -c %U /proc/${service}`), /^parcela$/m);
  const environment = await must(`tr '\\0' '\\n' < /proc/${service}/environ`);
  assert.doesNotMatch(environment, /postgres:\/\/|OWNER/);
}

/** What the units forbid is forbidden by the kernel, and a process that is killed comes back by itself. */
async function isKept(machine: Machine): Promise<void> {
  const { must } = machine;
  const first = await pidOf(machine, 'parcela@8081');
  const status = await must(`grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/${first}/status`);
  const words = ['CapEff:\t0{16}', 'CapBnd:\t0{16}', 'NoNewPrivs:\t1', 'Seccomp:\t2'];
  for (const word of words) assert.match(status, new RegExp(`^${word}$`, 'm'), status);
  const secrets = await must(`stat -c '%a %U' /run/credentials/parcela@8081.service`);
  assert.equal(secrets, '500 parcela\n');
  assert.equal(await must('systemctl is-enabled parcela@8081 parcela@8082'), 'enabled\nenabled\n');
  await must(`kill -9 ${first}`);
  const ready = 'curl --silent --fail --output /dev/null http://127.0.0.1:8081/health/ready';
  await until('the process is there again', async () => {
    const now = await pidOf(machine, 'parcela@8081');
    return now !== '0' && now !== first && (await machine.run(ready)).code === 0;
  });
  await must('systemctl restart parcela@8081');
  const ends = await must(`journalctl --no-pager -o cat -u parcela@8081`);
  assert.match(ends, /^parcela@8081\.service: Main process exited, code=killed, status=9\/KILL$/m);
  // What is told to end ends by itself, in its time.
  assert.match(ends, /"msg":"Stopping: requests under way are finished first\."/);
  assert.match(ends, /^parcela@8081\.service: Deactivated successfully\.$/m);
  await until('it is ready', async () => (await machine.run(ready)).code === 0);
}

/** The next version, with a migration of its own, is unpacked beside this one; nobody who calls notices. */
async function upgrades(machine: Machine): Promise<void> {
  const { must } = machine;
  const next = '/opt/parcela-9.9.9';
  await must(`cp -a "$(readlink -f /opt/parcela)" ${next}
    sed -i 's/"version": "[^"]*"/"version": "9.9.9"/' ${next}/package.json
    number=$(printf %04d $(($(ls ${next}/migrations/*.sql | wc -l) + 1)))
    echo 'create table of_the_next_version (n integer);' > ${next}/migrations/$number-of-the-next-version.sql`);
  const install = `${next}/deploy/debian/install.sh --database db.internal:5432 --proxy haproxy`;
  assert.match(await must(`${install} --dry-run`), /^would \/opt\/parcela leads to \/opt\/parcela-9\.9\.9$/m);
  const ask = `${SITE} curl --silent --output /dev/null --write-out '%{http_code}\\n' https://api.company.example/docs`;
  const upgraded = await must(`rm -f /run/upgraded
    (while [ ! -e /run/upgraded ]; do ${ask}; done > /run/answers) &
    ${install}; touch /run/upgraded; wait`);
  const done = [
    '/opt/parcela leads to /opt/parcela-9.9.9',
    'the schema: systemctl start parcela-migrate',
    'parcela@8081 anew',
    'parcela@8082 anew',
  ];
  assert.deepEqual(upgraded.match(/(?<=^do +)\S.*/gm), done, upgraded);
  const answers = (await must('sort /run/answers | uniq -c')).trim();
  assert.match(answers, /^\d+ 200$/);
  for (const port of ['8081', '8082'])
    assert.match(
      await must(`tr '\\0' ' ' < /proc/${await pidOf(machine, `parcela@${port}`)}/cmdline`),
      /9\.9\.9|\/opt\/parcela\//,
    );
  assert.match(await must(install), /^everything was there: nothing was changed$/m);
}

test(
  'from nothing to the first sale by the script, and to the next version: a token, HAProxy',
  {
    skip: skip || skipWithout('haproxy'),
  },
  () =>
    withMachine('geheim', async (machine) => {
      const { must, write, given } = machine;
      const install = `${INSTALL} --proxy haproxy`;
      const dry = await must(`${install} --dry-run`);
      assert.match(dry, /^would the account parcela$/m);
      assert.match(dry, /^nothing was changed$/m);
      assert.equal((await machine.run('ls /etc/parcela /usr/local/bin/parcela')).printed, '');
      await asksFor(machine, install, /^WANTS the address of your bridge/m);
      await must(`sed -i 's#^PARCELA_ACQUIRER_URL=#&https://bridge.internal:8643#' /etc/parcela/parcela.env`);
      await asksFor(machine, install, /^WANTS what proves to the bridge who asks: .*acquirer-token, or/m);
      await write('/etc/parcela/acquirer-token', 'geheim\n');
      await write('/etc/parcela/acquirer-ca.pem', given.authority);
      await write('/etc/parcela/database-ca.pem', given.authority);
      await asksFor(
        machine,
        install,
        /^WANTS the certificate of your address .*\/etc\/haproxy\/parcela\.pem/m,
      );
      await write('/etc/haproxy/parcela.pem', given.site + given.siteKey);
      assert.match(await must(install), /^do +\/etc\/haproxy\/haproxy\.cfg$/m);
      const before = await stateOf(machine);
      const again = await must(install);
      assert.match(again, /^everything was there: nothing was changed$/m);
      assert.doesNotMatch(again, /^do /m);
      assert.equal(await stateOf(machine), before);
      await sells(machine);
      await isWhole(machine);
      assert.match(await must('cat /etc/haproxy/haproxy.cfg.before-parcela'), /daemon/);
      const accounts = await must('ps -o user= -C haproxy');
      assert.match(accounts, /^haproxy$/m, 'its workers');
      const logged = await must('journalctl --no-pager -o cat -t haproxy');
      assert.match(logged, /parcela\/(first|second) .* 200 .* POST \/v1\/payments/);
      await isKept(machine);
      await upgrades(machine);
      await isWhole(machine);
    }),
);

test(
  'from nothing to the first sale with a certificate alone: nginx, a metrics token, a key by value replaced',
  {
    skip: skip || skipWithout('nginx'),
  },
  () =>
    withMachine('certificate', async (machine) => {
      const { must, write, given } = machine;
      const install = `${INSTALL} --proxy nginx`;
      await asksFor(machine, install, /^WANTS the address of your bridge/m);
      await write('/etc/parcela/database-ca.pem', given.authority);
      // Who has no bridge adds Rede or Cielo by a command, which needs the database: it is there by then.
      await asksFor(machine, `${install} --direct`, /^WANTS an acquirer: parcela provider add/m);
      await must(`sed -i 's#^PARCELA_ACQUIRER_URL=#&https://bridge.internal:8643#' /etc/parcela/parcela.env
      echo PARCELA_CONSOLE_ORIGIN=https://console.company.example >> /etc/parcela/parcela.env`);
      await write('/etc/parcela/acquirer-client.pem', given.client);
      await asksFor(machine, install, /^WANTS \/etc\/parcela\/acquirer-client\.key/m);
      await write('/etc/parcela/acquirer-client.key', given.clientKey);
      await write('/etc/parcela/acquirer-ca.pem', given.authority);
      await write('/etc/parcela/metrics-token', 'messen\n');
      await write('/etc/nginx/parcela.pem', given.site);
      await write('/etc/nginx/parcela.key', given.siteKey);
      await must(install);
      assert.match(await must(install), /nothing was changed$/m);
      await sells(machine);
      await isWhole(machine);
      const status = `curl -s -o /dev/null -w '%{http_code}'`;
      assert.equal(await must(`${status} http://127.0.0.1:9081/metrics`), '401');
      assert.equal(
        await must(`${status} http://127.0.0.1:9081/metrics -H 'Authorization: Bearer messen'`),
        '200',
      );
      assert.equal(
        await must(`${status} -H 'Host: console.company.example' http://127.0.0.1:18081/console/sign-in`),
        '200',
      );
      assert.match(await must('cat /var/log/nginx/access.log'), /"POST \/v1\/payments" 200/);
      await must(`cd /etc/parcela && cp key former-key && parcela key create --for environment > key`);
      assert.match(
        await must(install),
        /^do +\/etc\/systemd\/system\/parcela@\.service\.d\/former-key\.conf$/m,
      );
      await must('parcela key rotate --kind key-encryption');
      await must('rm /etc/parcela/former-key');
      assert.match(await must(install), /former-key\.conf is taken away: its file is gone$/m);
      await isWhole(machine);
    }),
);

/** What a section of the page has one paste, in its order. */
function commandsOf(section: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/installing.md'), 'utf8');
  const [, text = ''] = page.split(`\n## ${section}\n`);
  return snippetsOf(text.split('\n## ')[0] ?? '').map((snippet) => snippet.text);
}

/** The packages are there, an editor writes the address, and the shop is on this machine. */
function asOperator(text: string): string {
  return text
    .replace(/^apt-get .*\n/m, '')
    .replace('editor ', `sed -i 's#^PARCELA_ACQUIRER_URL=#&https://bridge.internal:8643#' `)
    .replace('203.0.113.0/24', '127.0.0.1');
}

test(
  'from nothing to the first sale by hand, as the page says',
  { skip: skip || skipWithout('haproxy') },
  () =>
    withMachine('geheim', async (machine) => {
      const { must, write, given } = machine;
      await must('cp /srv/release/*.tar.gz /root; rm -r /opt/*');
      const steps = commandsOf('On Debian, by hand');
      assert.equal(steps.length, 5);
      const [program = '', settings = '', roles = '', units = '', processes = ''] = steps.map(asOperator);
      const inRoot = (text: string) => `set -e; cd /root; ${SITE_AUTHORITY}; ${text}`;
      for (const step of [program, settings, roles]) await must(inRoot(step));
      await write('/etc/parcela/acquirer-token', 'geheim\n');
      await write('/etc/parcela/acquirer-ca.pem', given.authority);
      await write('/root/fullchain.pem', given.site);
      await write('/root/privkey.pem', given.siteKey);
      for (const step of [units, processes]) await must(inRoot(step));
      await isWhole(machine);
      const [sale = ''] = commandsOf('The first sale').map(asOperator);
      assert.match(await must(inRoot(sale), CARD), /^given back: /m);
      // The script finds all of it done, but for what only a script does.
      const found = await must(`/opt/parcela/deploy/debian/install.sh --proxy haproxy`);
      assert.doesNotMatch(found, /^do +(the roles|the schema|\/etc\/parcela|.*\.conf$)/m, found);
    }),
);
