import { test } from 'node:test';
import { divisionComplaints, drawerComplaints, lineComplaints, moduleListComplaints } from './modules.ts';
import { operationComplaints } from './operations.ts';
import { readPlan } from './plan.ts';
import { assertNone, assertOne, PLANTED_PLAN, planted } from './planted.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();
const plan = readPlan(tree);

test('the list of modules in ARCHITECTURE.md equals the folders of src/', () => {
  assertNone(moduleListComplaints(tree, plan));
  assertNone(lineComplaints(plan));
});

test('modules of more than 25 files are divided by noun', () => {
  assertNone(divisionComplaints(tree));
});

test('no file or folder is a drawer', () => {
  assertNone(drawerComplaints(tree));
});

test('an operation begins with a verb of the list and gives the function of its name', () => {
  assertNone(operationComplaints(tree, plan));
});

const SOURCE = {
  'src/main.ts': '',
  'src/app/config.ts': '',
  'src/app/reference.ts': '',
  'src/values/cents.ts': '',
  'src/platform/log.ts': '',
  'src/cards/card.ts': '',
  'src/payments/payment.ts': '',
  'homologation/ledger.ts': '',
  'src/cli/parcela.ts': '',
};

test('a module or file that is not in the list is found, and the reverse', () => {
  assertNone(moduleListComplaints(planted(SOURCE), PLANTED_PLAN));
  assertNone(lineComplaints(PLANTED_PLAN));
  const { 'src/cards/card.ts': _, ...withoutCards } = SOURCE;
  assertOne(
    moduleListComplaints(planted(withoutCards), PLANTED_PLAN),
    /src\/cards\/ is listed and not there/,
  );
  for (const [path, wanted] of [
    ['src/drawer/a.ts', /src\/drawer\/: not in the list/],
    ['src/antifraud/code.ts', /take the words "comes with issue" from it/],
    ['src/webhooks/delivery.ts', /take the words/],
    ['src/service.ts', /src\/service\.ts: not in the list/],
  ] as const) {
    assertOne(moduleListComplaints(planted({ ...SOURCE, [path]: '' }), PLANTED_PLAN), wanted);
  }
  const modules = [...PLANTED_PLAN.modules, { name: 'attic', isAwaited: false }];
  assertOne(lineComplaints({ ...PLANTED_PLAN, modules }), /attic is not in the line/);
  assertOne(
    lineComplaints({ ...PLANTED_PLAN, line: [...PLANTED_PLAN.line, ['cellar']] }),
    /cellar stands in the line/,
  );
});

test('a module that grew too wide, too deep or by kind is found', () => {
  const many = Object.fromEntries(
    Array.from({ length: 26 }, (_, number) => [`src/cards/card-${number}.ts`, '']),
  );
  assertOne(divisionComplaints(planted(many)), /src\/cards: 26 files/);
  const { 'src/cards/card-25.ts': last, ...few } = many;
  assertNone(divisionComplaints(planted({ ...few, 'src/cards/card.test.ts': last ?? '' })));
  assertOne(divisionComplaints(planted({ 'src/cards/a/b/c.ts': '' })), /one level deep/);
  assertNone(divisionComplaints(planted({ 'src/cards/adapters/bridge/bridge.ts': '' })));
  assertOne(divisionComplaints(planted({ 'src/cards/operations/open-card.ts': '' })), /by kind of file/);
});

test('a drawer is found by the last word of its name', () => {
  for (const path of [
    'src/cards/utils.ts',
    'src/cards/card-helpers.ts',
    'src/core/card.ts',
    'test/common/card.ts',
    'tools/misc.mjs',
    'src/cards/card-service.test.ts',
    'src/cards/card-data/a.ts',
  ]) {
    assertOne(drawerComplaints(planted({ [path]: '' })), /is a drawer/);
  }
  assertNone(
    drawerComplaints(planted({ 'src/cards/data-keys.sql.ts': '', 'homologation/data-folder.ts': '' })),
  );
});

test('an operation that does not give what its name says is found', () => {
  for (const source of [
    'export async function payByToken() {}',
    'function payByCard() {}',
    'export type payByCard = 1;',
    '// export function payByCard() {}',
    'export function payByCardTwice() {}',
  ]) {
    assertOne(
      operationComplaints(planted({ 'src/payments/pay-by-card.ts': source }), PLANTED_PLAN),
      /payByCard$/,
    );
  }
  for (const source of [
    'export async function payByCard() {}',
    'export function payByCard<A>() {}',
    'export const payByCard = () => {};',
  ]) {
    assertNone(operationComplaints(planted({ 'src/payments/pay-by-card.ts': source }), PLANTED_PLAN));
  }
});
