import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import '../../src/app/open-app.ts';
import { declaredMetrics } from '../../src/platform/metrics.ts';
import { skipWithout } from '../../tools/test-programs.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { openTestService, TEST_CONNECTIONS, type TestService, until } from '../kit/service.ts';
import { expressionsOfRules, metricsOfExpression, metricsShown } from './metric-names.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const RULES = pathOf('deploy/monitoring/alerts.yaml');
const TOKEN = 'a-token-of-the-one-who-measures';
const run = promisify(execFile);

let folder: string;
let tokenFile: string;
let service: TestService;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-monitoring-'));
  tokenFile = join(folder, 'token');
  await writeFile(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  service = await openTestService({ PARCELA_METRICS_TOKEN_FILE: tokenFile });
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const read = (authorization: string | null) =>
  fetch(service.metricsUrl, { headers: authorization === null ? {} : { authorization } });
const textOf = async () => (await read(`Bearer ${TOKEN}`)).text();
const numberOf = async (line: string) => {
  const found = (await textOf()).split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length + 1));
};

test('metrics are shown to those who have the token, and a new one is taken up', async () => {
  for (const shown of [null, 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`]) {
    const refused = await read(shown);
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    assert.equal(await refused.text(), '');
  }
  assert.equal((await read(`Bearer ${TOKEN}`)).status, 200);
  await writeFile(tokenFile, 'another-one');
  await until('the new token opens', async () => (await read('Bearer another-one')).status === 200);
  assert.equal((await read(`Bearer ${TOKEN}`)).status, 401);
  // What is no token does not close the door, nor open it to all.
  await writeFile(tokenFile, '');
  await until('the fault is counted', async () =>
    /^parcela_channel_faults_total\{channel="metrics"\} 1$/m.test(
      await (await read('Bearer another-one')).text(),
    ),
  );
  assert.equal((await read(null)).status, 401);
  await writeFile(tokenFile, TOKEN);
  await until('the first one opens again', async () => (await read(`Bearer ${TOKEN}`)).status === 200);
});

test('a service shows the metrics that are declared, and those of Node', async () => {
  const shown = [...metricsShown(await textOf())].filter((name) => !/^(process|nodejs)_/.test(name));
  const parts = /_(bucket|sum|count)$/;
  const declared = declaredMetrics().map(({ name }) => name);
  const isPart = (name: string) => parts.test(name) && declared.includes(name.replace(parts, ''));
  // That of a collector, which this service has not.
  const missing = declared.filter((name) => !shown.includes(name));
  assert.deepEqual(missing, ['parcela_trace_spans_total']);
  assert.deepEqual(
    shown.filter((name) => !declared.includes(name) && !isPart(name)),
    [],
  );
});

test('what happens is counted: declines by code, connections, the database, the audit log', async () => {
  const { gateway } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  assert.equal((await pay(service.gatewayUrl, token, 1_051)).reply.status, 402);
  const declines = (await textOf()).split('\n').filter((line) => line.startsWith('parcela_declines_total{'));
  assert.equal(declines.length, 1, declines.join('\n'));
  assert.match(declines[0] ?? '', /brand="\w+",code="51",class="funds"\} 1$/);
  await until(
    'the audit log was looked at',
    async () => Number(await numberOf('parcela_audit_entries_checked_total')) > 0,
  );
  assert.equal(await numberOf('parcela_audit_fault'), 0);
  // It stands there once the database was looked at, which happens now and then.
  await until('the newest migration is known', async () => {
    const newest = Number(await numberOf('parcela_schema_version'));
    assert.ok(newest === 0 || newest >= 14, `the schema is of version ${newest}`);
    return newest > 0;
  });
  assert.equal(await numberOf('parcela_ready'), 1);
  const most = await numberOf('db_client_connection_max{db_client_connection_pool_name="work"}');
  assert.equal(most, TEST_CONNECTIONS);
  assert.ok(
    Number(
      await numberOf('db_client_connection_wait_time_seconds_count{db_client_connection_pool_name="work"}'),
    ) > 0,
  );
  assert.equal(await numberOf('parcela_database_errors_total{kind="full"}'), 0);
});

test('every metric that a rule or the dashboard names is there', async () => {
  const shown = metricsShown(await textOf());
  const rules = expressionsOfRules(readFileSync(RULES, 'utf8'));
  assert.equal(rules.length, (readFileSync(RULES, 'utf8').match(/- alert: /g) ?? []).length);
  const expressions = [...rules, ...panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))];
  assert.ok(expressions.length > 80);
  for (const expression of expressions) {
    const named = metricsOfExpression(expression);
    assert.ok(named.length > 0, expression);
    assert.deepEqual(
      named.filter((name) => !shown.has(name)),
      [],
      expression,
    );
  }
  assert.deepEqual(
    metricsOfExpression(
      'sum by (a_b) (rate(parcela_x_total{c_d=~"e_f"}[5m])) > 1e9 and on (kind) min(g_h) == 0',
    ),
    ['parcela_x_total', 'g_h'],
  );
});

type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
};

function panels(): readonly Panel[] {
  const dashboard = JSON.parse(readFileSync(pathOf('deploy/monitoring/dashboard.json'), 'utf8'));
  assert.equal(dashboard.uid, 'parcela');
  assert.equal(dashboard.templating.list[0].name, 'datasource');
  return dashboard.panels;
}

test('the dashboard is one that Grafana can lay out', () => {
  const all = panels();
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  const taken = new Set<string>();
  for (const { type, title, gridPos, datasource, targets = [] } of all) {
    assert.ok(title.length > 0 && gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(!taken.has(`${x} ${y}`), `${title} lies on another panel`);
        taken.add(`${x} ${y}`);
      }
    if (type === 'row') continue;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's variable.
    assert.equal(datasource?.uid, '${datasource}', title);
    assert.ok(targets.length > 0, title);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
  }
});

test('every alert leads to the part of the runbook that names it, and the runbook names no other', () => {
  const parts = new Map(
    readFileSync(pathOf('docs/runbook.md'), 'utf8')
      .split(/^## /m)
      .map((part) => [anchorOf(part.split('\n', 1)[0] ?? ''), part]),
  );
  const alerts = readFileSync(RULES, 'utf8').split('- alert: ').slice(1);
  const names = alerts.map((text) => /^\w+/.exec(text)?.[0] ?? '');
  for (const [index, name] of names.entries()) {
    const anchor = /^ +runbook_url: docs\/runbook\.md#(\S+)$/m.exec(alerts[index] ?? '')?.[1];
    assert.ok(anchor !== undefined, `${name} has no runbook_url`);
    assert.ok(parts.get(anchor)?.includes(`\`${name}\``), `${anchor} of the runbook does not name ${name}`);
  }
  const named = [...parts.values()].flatMap((part) => part.match(/(?<=`)Parcela[A-Z]\w+(?=`)/g) ?? []);
  assert.deepEqual(
    named.filter((name) => !names.includes(name)),
    [],
  );
});

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

test('promtool takes the rules, and they say what they should', {
  skip: skipWithout('promtool'),
}, async () => {
  await run('promtool', ['check', 'rules', RULES]);
  const cases = join(folder, 'alert-cases.yaml');
  await copyFile(pathOf('test/monitoring/alert-cases.yaml'), cases);
  await copyFile(RULES, join(folder, 'alerts.yaml'));
  await chmod(cases, 0o600);
  const { stdout } = await run('promtool', ['test', 'rules', cases]);
  assert.match(stdout, /SUCCESS/);
});
