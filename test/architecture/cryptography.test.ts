import { test } from 'node:test';
import { cryptographyComplaints } from './cryptography.ts';
import { assertNone, assertOne, planted } from './planted.ts';
import { readSourceTree } from './source-tree.ts';

const PAGE = 'test/architecture/cryptography-uses.md';

test('cryptography-uses.md lists every use of cryptography there is, and no other', () => {
  assertNone(cryptographyComplaints(readSourceTree()));
});

test('a use that is not listed, and one that is no more, are found', () => {
  const of = (source: string, row = '| `src/keys/seal.ts` | `createHmac` | marks |') =>
    cryptographyComplaints(planted({ [PAGE]: `# Cryptography\n\n${row}\n`, 'src/keys/seal.ts': source }));
  const good = "import { createHmac, type KeyObject } from 'node:crypto';\ncreateHmac('sha256', key);";
  assertNone(of(good));
  assertNone(of(good, '| `src/keys/seal.ts` | `createHmac` | |\n| other | `hash` |'));
  assertOne(of(good, ''), /lacks src\/keys\/seal\.ts, which uses createHmac/);
  assertOne(of(good.replace('createHmac,', 'createHmac, sign as put,')), /uses sign too/);
  assertOne(of("import { type KeyObject } from 'node:crypto';"), /uses no cryptography/);
  assertOne(of(good, '| `src/keys/seal.ts` | `createHmac`, `verify` | |'), /does not use verify/);
  assertOne(of(`${good}\nconnect({ rejectUnauthorized: false });`), /uses rejectUnauthorized too/);
  assertOne(of(`${good}\nimport { connect } from 'node:tls';`), /uses node:tls too/);
  assertOne(of(`${good}\nimport all from 'node:crypto';`), /uses node:crypto as a whole too/);
  assertOne(of(`${good}\nimport * as all from 'node:crypto';`), /uses node:crypto as a whole too/);
  assertOne(of(`${good}\nconst id = crypto.randomUUID();`), /uses the global crypto too/);
  assertOne(of(good.replace("'sha256'", "'sha1'")), /seal\.ts: sha1 is no hash/);
});

test('tests may use what they like', () => {
  const source = "import { createHash } from 'node:crypto';\ncreateHash('md5');";
  assertNone(cryptographyComplaints(planted({ 'src/keys/seal.test.ts': source, 'test/keys/a.ts': source })));
});
