import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPlan } from './plan.ts';
import { assertNone, assertOne, PLANTED_PLAN, planted } from './planted.ts';
import { idlePurityExceptions, purityComplaints } from './purity.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();

test('nouns, values and screens are functions of what they are given', () => {
  assertNone(purityComplaints(tree, readPlan(tree)));
});

test('every exception is needed', () => {
  assertNone(idlePurityExceptions(tree));
  assert.notDeepEqual(idlePurityExceptions(planted({})), []);
});

test('an effect in a noun is found', () => {
  for (const [source, wanted] of [
    ["import { randomUUID } from 'node:crypto';", /randomUUID of node:crypto/],
    ["import { createHash } from 'node:crypto';", /createHash of node:crypto/],
    ["import fs from 'node:fs';", /default of node:fs/],
    ["export * from 'node:fs';", /\* of node:fs/],
    ["import pg from 'pg';", /the package pg/],
    ["import { newId } from '../platform/chance.ts';", /which has effects/],
    ["const a = await import('./open-card.ts');", /loads nothing while it runs/],
    ['const now = Date.now();', /Date\.now/],
    ['const now = Date?.now();', /Date\.now/],
    ['const now = new Date();', /the clock/],
    ['const now = new Date;', /the clock/],
    ['const now = Date();', /the clock/],
    ['const now = Temporal.Now.instant();', /Temporal\.Now/],
    ['const dice = Math.random();', /Math\.random/],
    ['const at = performance.now();', /performance/],
    ['const id = crypto.randomUUID();', /crypto/],
    ['const port = process.env.PORT;', /process/],
    [`const text = \`now \${fetch(url)}\`;`, /fetch/],
    ['setTimeout(go, 1);', /setTimeout/],
    ['const all = { fetch };', /fetch/],
    ['const limit = AbortSignal.timeout(1);', /AbortSignal\.timeout/],
  ] as const) {
    assertOne(purityComplaints(planted({ 'src/cards/card.ts': source }), PLANTED_PLAN), wanted);
    assertOne(purityComplaints(planted({ 'src/values/cents.ts': source }), PLANTED_PLAN), wanted);
    assertNone(purityComplaints(planted({ 'src/cards/open-card.ts': source }), PLANTED_PLAN));
    assertNone(purityComplaints(planted({ 'src/cards/card.test.ts': source }), PLANTED_PLAN));
  }
});

test('what only looks like an effect passes', () => {
  const source = [
    "import type { Database } from '../platform/postgres/database.ts';",
    "import type { Server } from 'node:http';",
    "import { languageOf } from '../platform/http/sentence.ts';",
    'const day = new Date(moment).toISOString(); const at = Date.UTC(2026, 0); const then = Date.parse(text);',
    'type Step = { process: string; fetch?: number }; const step = card.process; // Date.now()',
    "const word = 'Math.random()';",
  ].join('\n');
  assertNone(purityComplaints(planted({ 'src/cards/card.ts': source }), PLANTED_PLAN));
});

test('a noun uses no package, an endpoint may', () => {
  const source = "import { Type } from 'typebox';";
  assertNone(purityComplaints(planted({ 'src/cards/endpoints.ts': source }), PLANTED_PLAN));
  assertOne(
    purityComplaints(planted({ 'src/cards/refusals.ts': source }), PLANTED_PLAN),
    /the package typebox/,
  );
});
