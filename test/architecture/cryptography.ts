import { type Complaint, isTest, type SourceTree } from './source-tree.ts';

const PAGE = 'test/architecture/cryptography-uses.md';

/** Settings of TLS, by which a file that opens connections is known. */
const TLS_WORDS =
  /\b(rejectUnauthorized|minVersion|maxVersion|ciphers|checkServerIdentity|secureOptions)\s*:/g;
const HASHES = /\b(?:createHash|createHmac|hash)\(\s*'([^']+)'/g;
const IMPORTS = /import\s+([^;]*?)\s+from\s+'node:(crypto|tls|https|http2)'/g;
/** The global of the same name, which no import would show. */
const GLOBAL = /(?<![\w.'"`:])(?:globalThis\.)?crypto\.\w/;

/**
 * What the table of the page and the cryptography of the service do not say alike, and hashes that
 * are none any more.
 */
export function cryptographyComplaints(tree: SourceTree): Complaint[] {
  const listed = listedFiles(tree.get(PAGE) ?? '');
  const used = new Map(
    [...tree]
      .filter(
        ([path]) => /^(src|homologation|packages\/[\w-]+\/src)\/.*\.(?:ts|js)$/.test(path) && !isTest(path),
      )
      .map(([path, text]) => [path, usedIn(text)] as const)
      .filter(([, words]) => words.length > 0),
  );
  return [
    ...[...used].flatMap(([path, words]) => fileComplaints(path, words, listed.get(path))),
    ...[...listed.keys()]
      .filter((path) => !used.has(path))
      .map((path) => `${PAGE}: ${path} uses no cryptography`),
    ...[...tree].flatMap(([path, text]) => (used.has(path) ? hashComplaints(path, text) : [])),
  ];
}

function fileComplaints(
  path: string,
  words: readonly string[],
  listed: readonly string[] | undefined,
): string[] {
  if (listed === undefined) return [`${PAGE}: lacks ${path}, which uses ${words.join(', ')}`];
  return [
    ...words.filter((word) => !listed.includes(word)).map((word) => `${PAGE}: ${path} uses ${word} too`),
    ...listed.filter((word) => !words.includes(word)).map((word) => `${PAGE}: ${path} does not use ${word}`),
  ];
}

function usedIn(text: string): string[] {
  const words = [...text.matchAll(IMPORTS)].flatMap(([, names = '', module]) => {
    if (module !== 'crypto') return [`node:${module}`];
    return /^\{[^}]*\}$/.test(names) ? namesIn(names) : ['node:crypto as a whole'];
  });
  const settings = [...text.matchAll(TLS_WORDS)].map(([, word = '']) => word);
  return [...new Set([...words, ...settings, ...(GLOBAL.test(text) ? ['the global crypto'] : [])])];
}

/** Of `{ argon2, type KeyObject, hash as digest }` the values, by the names that Node gives them. */
function namesIn(braces: string): string[] {
  return braces
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim().replace(/\s+as\s.*$/, ''))
    .filter((name) => name !== '' && !name.startsWith('type '));
}

function hashComplaints(path: string, text: string): string[] {
  return [...text.matchAll(HASHES)]
    .filter(([, name]) => name !== 'sha256')
    .map(([, name]) => `${path}: ${name} is no hash of ${PAGE}`);
}

/** File and words of the rows whose first cell is a path of src/, homologation/ or packages/. */
function listedFiles(page: string): Map<string, string[]> {
  return new Map(
    [...page.matchAll(/^\| *`((?:src|homologation|packages)\/[^`]+)` *\|([^|]*)\|/gm)].map(
      ([, path = '', cell = '']) => [path, [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)],
    ),
  );
}
