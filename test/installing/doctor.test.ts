import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDatabase } from '../kit/database.ts';
import { cleanEnvironment, databaseSettings, databaseUrl } from '../kit/service.ts';
import { makeAuthority, makeCertificate } from '../webhooks/certificates.ts';
import { examine, type Installation, openInstallation } from './doctor-setup.ts';
import { runParcela, type Settings } from './run-parcela.ts';

const PARCELA = fileURLToPath(new URL('../../bin/parcela', import.meta.url));
/** A port that no program listens on. */
const CLOSED = 'http://127.0.0.1:9';

let here: Installation;
before(async () => {
  here = await openInstallation();
});
after(() => here.close());

test('where nothing is wrong it finds nothing, ends with 0 and has changed nothing', async () => {
  const { code, faults, warnings, diagnoses } = await here.examine();
  assert.deepEqual([code, faults], [0, []], JSON.stringify(diagnoses));
  // The servers of the tests have no archive and no checksums, and the disk that they run on may be small.
  const ofTheTests = ['database.archive', 'database.checksums', 'disk.low'];
  assert.deepEqual(
    warnings.filter((name) => !ofTheTests.includes(name)),
    [],
  );
  const stamps = (await here.sql('select 1 from database_stamp')) as unknown[];
  assert.equal(stamps.length, 0);
});

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;

const CONSOLE = { PARCELA_CONSOLE_PORT: '8090', PARCELA_CONSOLE_ORIGIN: 'https://console.example.com' };

/** A folder of settlement files where something else stands in the place of one that the service makes. */
function settlementFolder(name: 'taken' | 'refused', put: (path: string) => void): Settings {
  const folder = mkdtempSync(join(here.folder, 'settlement-'));
  put(join(folder, name));
  return { PARCELA_SETTLEMENT_FOLDER: folder };
}

/** The listener for notices of banks of Pix, whose files are right but for `change`. */
function notices(change: Partial<Record<'ca' | 'certificate' | 'key', string>>): Settings {
  const { certificate, keyText } = makeCertificate({ notAfter: new Date(Date.now() + 90 * DAY) });
  const folder = mkdtempSync(join(here.folder, 'notices-'));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return {
    PARCELA_PIX_WEBHOOK_PORT: '9443',
    PARCELA_PIX_WEBHOOK_CA_FILE: file('ca', change.ca ?? makeAuthority().certificate),
    PARCELA_PIX_WEBHOOK_CERTIFICATE_FILE: file('certificate', change.certificate ?? certificate),
    PARCELA_PIX_WEBHOOK_CERTIFICATE_KEY_FILE: file('key', change.key ?? keyText),
  };
}
const ended = () => makeCertificate({ notAfter: new Date(Date.now() - DAY) });

/** A console with a provider that is reached, and is none. */
function provider(change: Settings): Settings {
  return {
    ...CONSOLE,
    PARCELA_CONSOLE_OIDC_ISSUER: here.bridges.private,
    PARCELA_CONSOLE_OIDC_CLIENT_ID: 'console',
    PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: here.files.token,
    PARCELA_CONSOLE_OIDC_CA_FILE: here.files.authority,
    ...change,
  };
}

/** What is wrong by settings alone, and what is found of it. */
const BY_SETTINGS: readonly (readonly [what: string, settings: () => Settings, found: string])[] = [
  ['a setting that is not there', () => ({ PARCELA_PROT: '8080' }), 'settings.fault'],
  ['that production has no acquirer', () => ({ PARCELA_ACQUIRER_URL: '' }), 'providers.acquirer'],
  [
    'a database that is not there',
    () => ({
      DATABASE_URL: databaseUrl({ ...here.database.runtime, database: 'nowhere' }),
      PARCELA_OWNER_DATABASE_URL: databaseUrl({ ...here.database.address, database: 'nowhere' }),
    }),
    'database.unreachable',
  ],
  [
    'a wrong password of the owner',
    () => ({ PARCELA_OWNER_DATABASE_URL: databaseUrl({ ...here.database.address, user: 'nobody_here' }) }),
    'database.unreachable',
  ],
  [
    'a role that owns the tables',
    () => ({ DATABASE_URL: databaseUrl(here.database.address), PARCELA_OWNER_DATABASE_URL: '' }),
    'database.role',
  ],
  ['no key file', () => ({ PARCELA_KEY_FILE: join(here.folder, 'lost.json') }), 'keys.unusable'],
  ['a bridge that is away', () => ({ PARCELA_ACQUIRER_URL: CLOSED }), 'acquirer.unreachable'],
  ['a bridge that is silent', () => ({ PARCELA_ACQUIRER_URL: here.bridges.silent }), 'acquirer.silent'],
  [
    'a name that leads nowhere',
    () => ({ PARCELA_ACQUIRER_URL: 'https://bridge.invalid', PARCELA_ACQUIRER_TOKEN_FILE: here.files.token }),
    'acquirer.dns',
  ],
  [
    'a certificate that has expired',
    () => ({ PARCELA_ACQUIRER_URL: here.bridges.expired, PARCELA_ACQUIRER_CA_FILE: here.files.authority }),
    'acquirer.tls',
  ],
  ['an authority that is not named', () => ({ PARCELA_ACQUIRER_URL: here.bridges.private }), 'acquirer.tls'],
  [
    'a bridge that does not believe us',
    () => ({ PARCELA_ACQUIRER_URL: here.bridges.refusing }),
    'acquirer.refused',
  ],
  [
    'a bridge that is a simulator',
    () => ({ PARCELA_ACQUIRER_URL: here.bridges.simulator }),
    'acquirer.unfit',
  ],
  [
    'a page in the place of a bridge',
    () => ({ PARCELA_ACQUIRER_URL: here.bridges.garbage }),
    'acquirer.garbage',
  ],
  ['a proxy before a bridge that is away', () => ({ PARCELA_BANK_URL: here.bridges.broken }), 'bank.garbage'],
  [
    'an anti-fraud provider that answers with a page',
    () => ({ PARCELA_ANTIFRAUD_URL: here.bridges.garbage }),
    'antifraud.garbage',
  ],
  ['a clock that is an hour behind', () => ({ PARCELA_ACQUIRER_URL: here.bridges.late }), 'clock.acquirer'],
  [
    'a token file that is not there',
    () => ({ PARCELA_ACQUIRER_TOKEN_FILE: join(here.folder, 'none') }),
    'acquirer.files',
  ],
  [
    'a certificate of ours that ends soon',
    () => ({
      PARCELA_ACQUIRER_URL: here.bridges.private,
      PARCELA_ACQUIRER_CA_FILE: here.files.authority,
      ...here.files.ending,
    }),
    'acquirer.ownCertificate',
  ],
  ['a bank that is away', () => ({ PARCELA_BANK_URL: CLOSED }), 'bank.unreachable'],
  ['a collector that is away', () => ({ PARCELA_OTLP_URL: CLOSED }), 'otlp.unreachable'],
  [
    'a folder of settlement files that is not there',
    () => ({ PARCELA_SETTLEMENT_FOLDER: join(here.folder, 'no', 'such') }),
    'settlement.folder',
  ],
  [
    'a link in the place of the folder of taken files',
    () => settlementFolder('taken', (path) => symlinkSync(here.folder, path)),
    'settlement.folder',
  ],
  [
    'a file in the place of the folder of refused files',
    () => settlementFolder('refused', (path) => writeFileSync(path, '')),
    'settlement.folder',
  ],
  [
    'a security contact that has ended',
    () => ({ PARCELA_SECURITY_CONTACT: 'mailto:s@example.com', PARCELA_SECURITY_EXPIRES: '2020-01-01' }),
    'settings.contact',
  ],
  [
    'an anti-fraud provider that does not believe us',
    () => ({ PARCELA_ANTIFRAUD_URL: here.bridges.refusing }),
    'antifraud.refused',
  ],
  [
    'one of several hosts that is not reached',
    () => {
      const { port } = here.database.address;
      const hosts = (address: typeof here.database.address) =>
        databaseUrl(address).replace(`localhost:${port}`, `localhost:${port},localhost:9`);
      return {
        DATABASE_URL: hosts(here.database.runtime),
        PARCELA_OWNER_DATABASE_URL: hosts(here.database.address),
      };
    },
    'database.host',
  ],
  ['no proxy that is named', () => ({ PARCELA_TRUSTED_PROXIES: '' }), 'settings.fault'],
  ['no origin of the pages', () => ({ PARCELA_PAGES_ORIGIN: '' }), 'settings.warning'],
  ['no proxy, as is said', () => ({ PARCELA_TRUSTED_PROXIES: 'none' }), 'settings.warning'],
  ['a console without TLS', () => ({ ...CONSOLE, PARCELA_CONSOLE_ORIGIN: '' }), 'settings.fault'],
  ['a console at the port of an API', () => ({ ...CONSOLE, PARCELA_CONSOLE_PORT: '8080' }), 'settings.fault'],
  [
    'an identity provider without TLS',
    () => provider({ PARCELA_CONSOLE_OIDC_ISSUER: here.bridges.fit }),
    'settings.fault',
  ],
  [
    'a client of it without a secret',
    () => provider({ PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: '' }),
    'settings.fault',
  ],
  [
    'a secret of it that is not there',
    () => provider({ PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: join(here.folder, 'none') }),
    'oidc.files',
  ],
  [
    'an identity provider that is away',
    () => provider({ PARCELA_CONSOLE_OIDC_ISSUER: 'https://127.0.0.1:9' }),
    'oidc.unreachable',
  ],
  [
    'an identity provider whose name leads nowhere',
    () => provider({ PARCELA_CONSOLE_OIDC_ISSUER: 'https://id.invalid/realms/main' }),
    'oidc.dns',
  ],
  [
    'an identity provider whose authority is not named',
    () => provider({ PARCELA_CONSOLE_OIDC_CA_FILE: '' }),
    'oidc.tls',
  ],
  ['an issuer that is no identity provider', () => provider({}), 'oidc.unfit'],
  [
    'that the folder of settlement files is a file',
    () => ({ PARCELA_SETTLEMENT_FOLDER: join(here.folder, 'authority.pem') }),
    'settlement.folder',
  ],
  ['authorities of banks of Pix that are none', () => notices({ ca: 'a text' }), 'pixWebhook.files'],
  [
    'authorities of banks of Pix that have ended',
    () => notices({ ca: ended().certificate }),
    'pixWebhook.authority',
  ],
  ['a key that is of another certificate', () => notices({ key: ended().keyText }), 'pixWebhook.files'],
  [
    'that the certificate shown to banks of Pix has ended',
    () => {
      const { certificate, keyText } = ended();
      return notices({ certificate, key: keyText });
    },
    'pixWebhook.ownCertificate',
  ],
];

for (const [what, settings, found] of BY_SETTINGS) {
  test(`it finds ${what}`, async () => {
    const { code, faults, warnings, diagnoses } = await here.examine(settings());
    assert.ok([...faults, ...warnings].includes(found), JSON.stringify(diagnoses));
    assert.equal(code, faults.length > 0 ? 1 : 0);
    for (const { state, advice } of diagnoses) assert.equal(advice === null, state === 'ok');
    assert.doesNotMatch(
      JSON.stringify(diagnoses),
      /a-token|PRIVATE KEY|SyntaxError|use-system-ca|about \(\d/,
    );
  });
}

/** What is wrong in the database: made, found, and mended again. */
const IN_DATABASE: readonly (readonly [what: string, make: string, mend: string, found: string])[] = [
  [
    'commits that may be lost',
    'alter role ROLE set synchronous_commit = off',
    'alter role ROLE reset synchronous_commit',
    'database.unfit',
  ],
  [
    'a database that takes no writes',
    'alter role ROLE set default_transaction_read_only = on',
    'alter role ROLE reset default_transaction_read_only',
    'database.standstill',
  ],
  [
    'a role with too few connections',
    'alter role ROLE connection limit 5',
    'alter role ROLE connection limit -1',
    'database.connections',
  ],
  [
    'a schema of a newer version',
    `insert into schema_migrations (number, name, checksum) values (9999, '9999-later.sql', 'x')`,
    'delete from schema_migrations where number = 9999',
    'schema.newer',
  ],
  [
    'a database that was copied',
    `insert into database_stamp (system_identifier, database_oid, table_oid, timeline, token, stamped_at) values ('1', 1, 1, 1, gen_random_uuid(), now())`,
    'delete from database_stamp',
    'database.copied',
  ],
  [
    'billings that a restore holds',
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses,
       billings_held_at, is_held_by_restore)
     values ('PARADA', '11222333000181', 'Parada', 'Ana', 'ana@example.com', '11999990000', '{}', now(), true)`,
    `delete from merchants where merchant_id = 'PARADA'`,
    'billings.held',
  ],
  [
    'a role that may read nothing',
    'revoke select on data_keys from ROLE',
    'grant select on data_keys to ROLE',
    'database.unreadable',
  ],
];

for (const [what, make, mend, found] of IN_DATABASE) {
  test(`it finds ${what}`, async () => {
    const { user } = here.database.runtime;
    await here.sql(make.replaceAll('ROLE', user));
    try {
      const { faults, warnings, diagnoses } = await here.examine();
      assert.ok([...faults, ...warnings].includes(found), JSON.stringify(diagnoses));
    } finally {
      await here.sql(mend.replaceAll('ROLE', user));
    }
  });
}

test('a database whose authority is not named is said so, with what to write', async () => {
  const certified = makeCertificate({ hosts: ['127.0.0.1'], issuer: makeAuthority() });
  const secureContext = createSecureContext({ key: certified.keyText, cert: certified.certificate });
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    // The client asks for TLS, as PostgreSQL has it.
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { diagnoses } = await here.examine({
    DATABASE_URL: `postgres://parcela@127.0.0.1:${port}/parcela?sslmode=require`,
    PARCELA_OWNER_DATABASE_URL: '',
  });
  server.close();
  const found = diagnoses.find(({ name }) => name === 'database.unreachable');
  assert.match(
    found?.says ?? '',
    /an authority that is not known here; .*sslrootcert=/,
    JSON.stringify(diagnoses),
  );
  const warned = diagnoses.filter(({ name }) => name === 'settings.warning').map(({ says }) => says);
  assert.match(warned.join(), /DATABASE_URL: sslmode=require is taken for verify-full/);
});

test('it finds migrations that are not applied', async () => {
  const empty = await createTestDatabase({ migrated: false });
  try {
    const { code, faults } = await here.examine(databaseSettings(empty));
    assert.deepEqual([code, faults], [1, ['schema.pending']]);
  } finally {
    await empty.drop();
  }
});

test('it finds a key file of another installation, and one that others can read', async () => {
  const path = join(here.folder, 'keys', 'key-encryption-key.json');
  const other = join(here.folder, 'other.json');
  const text = await readFile(path, 'utf8');
  await writeFile(other, text.replaceAll(/[A-Za-z0-9+/]{43}=/g, randomBytes(32).toString('base64')), {
    mode: 0o600,
  });
  assert.ok((await here.examine({ PARCELA_KEY_FILE: other })).faults.includes('keys.unusable'));
  await copyFile(path, other);
  await chmod(other, 0o644);
  const { diagnoses } = await here.examine({ PARCELA_KEY_FILE: other });
  assert.match(diagnoses.find(({ name }) => name === 'keys.unusable')?.says ?? '', /can be read by others/);
});

test('it finds servers of merchants that cannot be reached, and limits of open files', async () => {
  await here.sql(`insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses)
    values ('LOJA', '11222333000181', 'Loja', 'Ana', 'ana@example.com', '+55 11 4000 0000', '{}')`);
  await here.sql(`insert into webhook_endpoints (merchant_id, endpoint, url, created_by)
    values ('LOJA', 'account:1', 'https://127.0.0.1:9/', 'ana')`);
  const { code, faults, diagnoses } = await here.examine({ PARCELA_WEBHOOK_NETWORKS: '127.0.0.0/8' });
  assert.deepEqual([code, faults], [0, []], 'a refused connection proves that this machine gets out');
  const found = diagnoses.find(({ name }) => name === 'webhooks.out');
  assert.equal(found?.state, 'warning');
  assert.match(found?.says ?? '', /LOJA \(no program listens there: ECONNREFUSED\)/);
  assert.match(found?.advice ?? '', /ask these merchants .*parcela webhook list --merchant LOJA/);
  const limited = await promisify(execFile)('sh', ['-c', `ulimit -n 512; exec ${PARCELA} doctor --json`], {
    env: cleanEnvironment(here.settings),
  }).catch((error: { stdout: string }) => error);
  assert.match(limited.stdout, /"machine\.descriptors"/);
});

test('it says since when no process gives a sign of life, and nothing of whom the dead could not reach', async () => {
  const life = async (age: string, reportAge = '30 seconds') => {
    await here.sql('delete from service_beats');
    await here.sql(`update process_reports set reported_at = now() - interval '${reportAge}'`);
    await here.sql(
      `insert into service_beats (service_id, beat, beaten_at) values (gen_random_uuid(), 9, now() - interval '${age}')`,
    );
    const { diagnoses } = await here.examine();
    return diagnoses.filter(({ name }) => /^processes|providers.away/.test(name));
  };
  const peers = [{ peer: 'pix', state: 'silent', since: 0, answeredAt: 0, awayFor: ['pix'] }];
  await here.sql(
    `insert into process_reports (process_id, report) values (gen_random_uuid(), '${JSON.stringify({ peers })}')`,
  );
  const [lifeless, ...others] = await life('1 hour');
  assert.deepEqual([lifeless?.state, lifeless?.name, others], ['warning', 'processes.lifeless', []]);
  const since = Date.parse(/since (\S+)$/.exec(lifeless?.says ?? '')?.[1] ?? '');
  assert.ok(Math.abs(Date.now() - since) < 10 * 60 * 1_000, lifeless?.says ?? '');
  const [restored] = await life('1 hour', '1 second');
  assert.equal(restored?.name, 'processes.alive', 'it lived through a restore, and writes no beat');
  const [alive, away] = await life('1 second');
  assert.deepEqual([alive?.name, away?.name], ['processes.alive', 'providers.away']);
  await here.sql('delete from service_beats; delete from process_reports');
});

test('it says whom the running processes pass over', async () => {
  const peer = { peer: 'acquirer', state: 'silent', since: 0, answeredAt: 0, feedAgeSeconds: null };
  const report = JSON.stringify({ peers: [{ ...peer, awayFor: ['payment'] }] });
  await here.sql(`insert into process_reports (process_id, report) values (gen_random_uuid(), '${report}')`);
  const { faults, diagnoses } = await here.examine();
  const found = diagnoses.find(({ name }) => name === 'providers.away');
  assert.deepEqual([faults, found?.state], [[], 'warning']);
  assert.match(
    found?.says ?? '',
    /^acquirer: no clear answer since 1970-01-01T00:00:00\S+, the last one was at 1970/,
  );
  assert.match(
    found?.says ?? '',
    /1 of \d processes send new payments to another acquirer where a rule names one/,
  );
  const hangs = {
    ...peer,
    state: 'answers',
    since: 60_000,
    awayFor: ['capture', 'charge'],
    reason: 'no answer in time',
  };
  await here.sql(
    `update process_reports set report = '${JSON.stringify({ peers: [hangs, { ...peer, peer: 'antifraud', answeredAt: null, awayFor: [] }] })}'`,
  );
  const [hanging, antifraud] = (await here.examine()).diagnoses.filter(
    ({ name }) => name === 'providers.away',
  );
  assert.match(
    hanging?.says ?? '',
    /^acquirer: some calls get no clear answer since 1970-01-01T00:01:00.*no answer in time; what is unknown \(capture, charge\) is asked about now and then; new sales are sent to it/,
  );
  assert.match(
    antifraud?.says ?? '',
    /^antifraud: no clear answer since 1970.*, and none since the process began$/,
  );
  assert.match(found?.advice ?? '', /parcela resolve list shows what waits/);
  await here.sql('delete from process_reports');
  const hold = (heldBecause: string) =>
    here.sql(
      `insert into process_reports (process_id, report) values (gen_random_uuid(), '${JSON.stringify({ heldBecause })}')`,
    );
  await hold('unchecked');
  const starting = await here.examine();
  assert.deepEqual([starting.faults, starting.warnings.includes('processes.held')], [[], true]);
  await hold('unwritable');
  const holding = await here.examine();
  assert.deepEqual(holding.faults, ['processes.held']);
  assert.ok(!holding.diagnoses.some(({ name }) => name === 'providers.away'));
  await here.sql('delete from process_reports');
});

test('a secret that others can read, and a console that no proxy stands before, are warned of', async () => {
  const open = join(here.folder, 'open-secret');
  await writeFile(open, 'a-token');
  await chmod(open, 0o644);
  const change = { PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: open, PARCELA_TRUSTED_PROXIES: 'none' };
  const { diagnoses } = await here.examine(provider(change));
  const said = diagnoses.filter(({ name }) => name === 'settings.warning').map(({ says }) => says);
  assert.ok(said.some((says) => says.startsWith('PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: every account')));
  assert.ok(said.some((says) => says.startsWith('PARCELA_CONSOLE_PORT: PARCELA_TRUSTED_PROXIES says that')));
});

test('a person reads plain words, and --strict makes warnings count', async () => {
  const ours = { ...here.settings, PARCELA_TRUSTED_PROXIES: 'none', PARCELA_SECURITY_CONTACT: '' };
  const set = Object.fromEntries(Object.entries(ours).filter(([, value]) => value !== ''));
  const { code, printed } = await runParcela(['doctor', '--strict'], set);
  assert.equal(code, 1);
  assert.match(
    printed,
    /^WARNING {2}settings\.warning: PARCELA_TRUSTED_PROXIES says that there is no proxy/m,
  );
  assert.match(printed, /^ok {7}keys\.open: the key file .* opens all 6 data keys$/m);
  assert.match(printed, /^\d+ faults, \d+ warnings, \d+ fine$/m);
});

test('in homologation it looks before the first start too', async () => {
  const own = await createTestDatabase({ migrated: true });
  try {
    const { code, faults } = await examine({
      ...databaseSettings(own),
      PARCELA_DATA_DIR: join(here.folder, 'new'),
    });
    assert.deepEqual([code, faults], [0, []]);
  } finally {
    await own.drop();
  }
});
