import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circleComplaints } from './circles.ts';
import { directionComplaints, kindComplaints, packageComplaints, simulatorComplaints } from './direction.ts';
import { importsOf } from './imports.ts';
import { readPlan } from './plan.ts';
import { assertNone, assertOne, PLANTED_PLAN, planted } from './planted.ts';
import { parseProgram } from './program.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();
const plan = readPlan(tree);

test('modules import along the line of ARCHITECTURE.md and never back', () => {
  assertNone(directionComplaints(tree, plan));
});

test('few files import each other, and these by types alone', () => {
  assertNone(circleComplaints(tree));
  const files = {
    'src/cards/card.ts': "import type { A } from './pair.ts';",
    'src/cards/pair.ts': "import type { B } from './token.ts';",
    'src/cards/token.ts': "import { c } from './card.ts'; import { d } from '../values/cents.ts';",
    'src/values/cents.ts': '',
  };
  assertOne(circleComplaints(planted(files), 0), /card\.ts, .*pair\.ts, .*token\.ts: import each other/);
  assertNone(circleComplaints(planted(files), 1));
  assertNone(circleComplaints(planted({ ...files, 'src/cards/pair.ts': '' }), 0));
});

test('kinds of file import what the table of ARCHITECTURE.md says', () => {
  assertNone(kindComplaints(tree, plan));
});

test('the simulator imports nothing of src/ and no package', () => {
  assertNone(simulatorComplaints(tree));
});

const importsIn = (source: string) => importsOf(parseProgram('a.ts', source));

test('every form of import is seen', () => {
  const forms: [string, Partial<ReturnType<typeof importsOf>[number]>][] = [
    ["import { a, type B } from 'x';", { names: ['a'], isTypeOnly: false, isDynamic: false }],
    ["import { type A, type B } from 'x';", { isTypeOnly: true }],
    ["import type { A } from 'x';", { isTypeOnly: true }],
    ["import type A from 'x';", { isTypeOnly: true }],
    ["import type from 'x';", { names: ['default'], isTypeOnly: false }],
    ["import a, { b as c } from 'x';", { names: ['default', 'b'] }],
    ["import * as a from 'x';", { names: ['*'] }],
    ["import list from 'x' with { type: 'json' };", { names: ['default'] }],
    ["import 'x';", { names: ['*'], isTypeOnly: false }],
    ["import {} from 'x';", { isTypeOnly: false }],
    ["export { a } from 'x';", { names: ['a'], isTypeOnly: false }],
    ["export * from 'x';", { names: ['*'] }],
    ["export * as a from 'x';", { names: ['*'] }],
    ["export type { A } from 'x';", { isTypeOnly: true }],
    ["export type * from 'x';", { isTypeOnly: true }],
    ["const a = await import('x');", { isDynamic: true }],
    ['const a = await import(`x`);', { isDynamic: true }],
    ["type A = import('x').A;", { isDynamic: true }],
    ["const a = require('x');", { isDynamic: true }],
  ];
  for (const [source, wanted] of forms) {
    const found = importsIn(`${source}\nexport const z = 1; export { z as y };`);
    assert.equal(found.length, 1, source);
    assert.deepEqual({ ...found[0], ...wanted, specifier: 'x' }, found[0], source);
  }
  assert.deepEqual(importsIn("const u = import.meta.url; a.import('x'); const s = \"import 'x'\";"), []);
  assert.equal(importsIn('await import(name)')[0]?.specifier, '(computed)');
});

test('an import against the line is found, in whatever form', () => {
  const files = { 'src/cards/card.ts': '', 'src/payments/payment.ts': '', 'src/values/cents.ts': '' };
  for (const source of [
    "import { a } from '../payments/payment.ts';",
    "import type { A } from '../payments/payment.ts';",
    "export * from '../payments/payment.ts';",
    "const a = await import('../payments/payment.ts');",
  ]) {
    const bad = planted({ ...files, 'src/cards/open-card.ts': source });
    assertOne(
      directionComplaints(bad, PLANTED_PLAN),
      /open-card\.ts:1: cards imports payments: against the line/,
    );
  }
});

test('other ways out of the line are found', () => {
  const files = {
    'src/main.ts': '',
    'src/app/config.ts': '',
    'src/app/settings.ts': '',
    'src/app/open-app.ts': '',
    'src/cards/card.ts': '',
    'src/antifraud/code.ts': '',
    'src/webhooks/delivery.ts': '',
    'src/app/homologation.ts': '',
    'homologation/index.ts': '',
    'homologation/ledger.ts': '',
    'src/cli/parcela.ts': '',
    'src/drawer/thing.ts': '',
    'simulators/acquirer/ledger.ts': '',
    'test/architecture/plan.ts': '',
  };
  const faults: [string, string, RegExp][] = [
    ['src/antifraud/code.ts', '../webhooks/delivery.ts', /antifraud imports webhooks: against/],
    ['src/cards/card.ts', '../main.ts', /which nobody does/],
    ['src/cli/parcela.ts', '../main.ts', /which nobody does/],
    ['src/cards/card.ts', '../app/config.ts', /only main\.ts builds the service/],
    ['homologation/ledger.ts', '../src/app/config.ts', /only main\.ts builds the service/],
    ['src/cli/parcela.ts', '../app/open-app.ts', /only main\.ts builds the service/],
    ['src/cli/parcela.ts', '../app/settings.ts', /which only config\.ts reads/],
    ['src/app/open-app.ts', './settings.ts', /which only config\.ts reads/],
    ['src/app/homologation.ts', '../../homologation/index.ts', /production must never load it/],
    ['src/app/homologation.ts', '../../homologation/ledger.ts', /has what is used/],
    ['src/app/open-app.ts', '../../homologation/index.ts', /what src\/app\/homologation\.ts loads/],
    ['src/main.ts', '../homologation/ledger.ts', /what src\/app\/homologation\.ts loads/],
    ['src/main.ts', './cli/parcela.ts', /imports cli/],
    ['src/cli/parcela.ts', '../../homologation/index.ts', /what src\/app\/homologation\.ts loads/],
    ['src/cards/card.ts', '../drawer/thing.ts', /no place in the line/],
    ['src/drawer/thing.ts', '../cards/card.ts', /no place in the line/],
    ['src/cards/card.ts', '../../simulators/acquirer/ledger.ts', /reaches out of src/],
    ['src/cards/card.ts', '../../simulators/acquirer/cards.json', /reaches out of src/],
    ['homologation/ledger.ts', '../simulators/acquirer/ledger.ts', /reaches out of src/],
    ['src/cards/card.ts', '../../test/architecture/plan.ts', /reaches out of src/],
    ['src/cards/card.ts', './card.test.ts', /which is not there/],
    ['src/cards/a.test.ts', '../../homologation/ledger.ts', /what src\/app\/homologation\.ts loads/],
  ];
  for (const [from, specifier, wanted] of faults) {
    const bad = planted({ ...files, [from]: `\nimport { a } from '${specifier}';` });
    assertOne(directionComplaints(bad, PLANTED_PLAN), wanted);
  }
  const computed = planted({ 'src/cards/card.ts': 'await import(name)' });
  assertOne(directionComplaints(computed, PLANTED_PLAN), /computed/);
});

test('folders of a module that import against their line are found', () => {
  const folders = new Map([['cards', [['vault'], ['pairs', 'tokens']]]]);
  const files = { 'src/cards/card.ts': '', 'src/cards/vault/stored.ts': '', 'src/cards/pairs/pair.ts': '' };
  const importing = (from: string, specifier: string) =>
    directionComplaints(planted({ ...files, [from]: `import { a } from '${specifier}';` }), {
      ...PLANTED_PLAN,
      folders,
    });
  assertNone(importing('src/cards/vault/stored.ts', '../pairs/pair.ts'));
  assertNone(importing('src/cards/pairs/pair.ts', '../card.ts'));
  assertOne(importing('src/cards/pairs/pair.ts', '../vault/stored.ts'), /pairs imports vault: against/);
  assertOne(importing('src/cards/tokens/token.ts', '../pairs/pair.ts'), /tokens imports pairs: against/);
});

test('a package that uses something of this repository is found', () => {
  const index = 'packages/files/src/index.ts';
  const importing = (from: string, specifier: string) =>
    packageComplaints(planted({ [from]: `import { a } from '${specifier}';` }));
  for (const good of ['./day.ts', './banks/cnab.ts', 'node:zlib']) assertNone(importing(index, good));
  for (const good of ['../src/index.ts', './lines.ts', 'fast-check'])
    assertNone(importing('packages/files/test/index.test.ts', good));
  assertOne(importing(index, '../../../src/values/cents.ts'), /reaches out to src\/values/);
  assertOne(importing(index, '../test/lines.ts'), /reaches out to packages\/files\/test/);
  assertOne(importing(index, 'fast-check'), /imports fast-check/);
  assertOne(importing('packages/files/test/index.test.ts', '../../../test/kit/post.ts'), /reaches out/);
  assertOne(importing('packages/files/index.ts', './src/index.ts'), /alone/);
  assertNone(packageComplaints(tree));
});

test('imports along the line pass', () => {
  const good = planted({
    'src/main.ts': "import './app/config.ts'; import './app/open-app.ts'; import './cards/card.ts';",
    'src/app/open-app.ts':
      "import './config.ts'; import '../cards/card.ts'; import { a } from './homologation.ts';",
    'src/app/homologation.ts':
      "import type { A } from '../../homologation/index.ts'; import('../../homologation/index.ts');",
    'homologation/index.ts': "export { a } from './ledger.ts';",
    'src/app/config.ts': "import './settings.ts'; import '../values/cents.ts';",
    'src/app/settings.ts': '',
    'src/cli/parcela.ts': "import '../app/config.ts'; import '../app/homologation.ts';",
    'src/values/cents.ts': '',
    'src/cards/card.ts': "import '../values/cents.ts'; import 'pg';",
    'src/payments/payment.ts': "import '../cards/card.ts';",
    'homologation/ledger.ts': "import '../simulators/acquirer/cards.json'; import '../src/cards/card.ts';",
  });
  assertNone(directionComplaints(good, PLANTED_PLAN));
});

test('a kind of file that uses what it must not is found', () => {
  const files = {
    'src/cards/card.ts': '',
    'src/cards/open-card.ts': '',
    'src/cards/cards.sql.ts': '',
    'src/cards/endpoints.ts': '',
    'src/cards/module.ts': '',
    'src/cards/vault/module.ts': '',
    'src/payments/module.ts': '',
  };
  const faults: [string, string, RegExp][] = [
    [
      'src/cards/card.ts',
      "import { a } from './open-card.ts';",
      /kind noun must not use .* of kind operation/,
    ],
    ['src/cards/card.ts', "import { a } from './cards.sql.ts';", /kind noun must not use .* of kind sql/],
    ['src/cards/cards.sql.ts', "import { a } from './open-card.ts';", /kind sql must not use/],
    ['src/cards/open-card.ts', "import { a } from './endpoints.ts';", /knows nothing of the wire/],
    ['src/cards/open-card.ts', "import type { A } from './endpoints.ts';", /knows nothing of the wire/],
    ['src/cards/open-card.ts', "import type { A } from './module.ts';", /knows nothing of the wire/],
    [
      'src/payments/module.ts',
      "import { a } from '../cards/module.ts';",
      /only app\/ and the module around it/,
    ],
    ['src/payments/module.ts', "import { a } from '../cards/vault/module.ts';", /only app\/ and the module/],
    ['src/cards/endpoints.ts', "import { a } from './module.ts';", /only app\/ and the module/],
    [
      'src/cards/card.ts',
      "import { a } from './endpoints.ts';",
      /kind noun must not use .* of kind endpoints/,
    ],
  ];
  for (const [from, source, wanted] of faults) {
    assertOne(kindComplaints(planted({ ...files, [from]: source }), PLANTED_PLAN), wanted);
  }
  const types = {
    'src/cards/card.ts': "import type { A } from './open-card.ts';",
    'src/payments/module.ts':
      "import type { Cards } from '../cards/module.ts'; import '../cards/open-card.ts';",
    'src/cards/module.ts': "import { a } from './vault/module.ts';",
    'src/app/modules.ts': "import { a } from '../cards/module.ts';",
  };
  assertNone(kindComplaints(planted({ ...files, ...types }), PLANTED_PLAN));
});

test('what all methods of payment share and uses what one has is found', () => {
  const { line } = PLANTED_PLAN;
  const plan = { ...PLANTED_PLAN, line: [...line, ['transactions']] };
  const card = { 'src/transactions/methods/card/charge-card.ts': '' };
  const importing = "import { a } from '../methods/card/charge-card.ts';";
  const shared = planted({ ...card, 'src/transactions/cancels/cancel.ts': importing });
  assertOne(directionComplaints(shared, plan), /which only one method of payment has/);
  const within = "import { a } from '../card/charge-card.ts';";
  const between = planted({ ...card, 'src/transactions/methods/pix/charge-pix.ts': within });
  assertOne(directionComplaints(between, plan), /which only one method of payment has/);
  for (const [free, source] of [
    ['src/transactions/methods/card/resolve.ts', within],
    ['src/transactions/unresolved/decide-unresolved.ts', importing],
  ] as const)
    assertNone(directionComplaints(planted({ ...card, [free]: source }), plan));
});

test('a simulator that shares code is found', () => {
  for (const [specifier, wanted] of [
    ['../src/values/cents.ts', /reaches out of its folder/],
    ['../test/postgres.ts', /reaches out of its folder/],
    ['../bank/boletos.ts', /reaches out of its folder/],
    ['fastify', /imports fastify/],
    ['fs', /imports fs/],
  ] as const) {
    const bad = planted({ 'simulators/acquirer/main.ts': `import { a } from '${specifier}';` });
    assertOne(simulatorComplaints(bad), wanted);
  }
  const good = planted({
    'simulators/acquirer/main.ts': "import 'node:fs/promises'; import '../kit/ledger.ts';",
  });
  assertNone(simulatorComplaints(good));
});
