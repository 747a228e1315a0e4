import { isBuiltin } from './direction.ts';
import { COMPUTED, importsOf } from './imports.ts';
import { type Kind, kindOf, type Plan } from './plan.ts';
import { type Complaint, programsOf, resolvedPath, type SourceFile, type SourceTree } from './source-tree.ts';
import { isToken, type Token } from './tokens.ts';

/** Names of Node that only compute, and why the file needs them: everything else of Node is an effect to a noun. */
const PURE_NAMES: readonly { path: string; module: string; names: readonly string[]; why: string }[] = [
  {
    path: 'src/merchants/client-address.ts',
    module: 'node:net',
    names: ['isIP'],
    why: 'a question about a text',
  },
  {
    path: 'src/merchants/client-address.ts',
    module: 'ipaddr.js',
    names: ['default'],
    why: 'addresses as bytes, and whether one lies in a network',
  },
  {
    path: 'src/keys/sealing.ts',
    module: 'node:crypto',
    names: ['createCipheriv', 'createDecipheriv', 'createHash'],
    why: 'AES-GCM as a function of key, nonce and bytes; the chance for the nonce comes from the caller',
  },
  {
    path: 'src/merchants/tokens/access-token.ts',
    module: 'node:crypto',
    names: ['hash'],
    why: 'the rule by which a token is found',
  },
  {
    path: 'src/values/exact-json.ts',
    module: 'node:buffer',
    names: ['isUtf8'],
    why: 'a question about bytes',
  },
];

/** Files of the platform that are shapes and sentences only; they are held to the same rules as nouns. */
const PURE_PLATFORM = [
  'src/platform/requests/body-shape.ts',
  'src/platform/http/endpoint.ts',
  'src/platform/http/failures.ts',
  'src/platform/pages.ts',
  'src/platform/http/refusal.ts',
  'src/platform/http/schema-faults.ts',
  'src/platform/http/sentence.ts',
];

/** Packages that only compute, for those kinds that speak to the wire. */
const PURE_PACKAGES: Partial<Record<Kind, readonly string[]>> = {
  contract: ['typebox'],
  platform: ['typebox', 'ajv'],
};

const PURE_KINDS: readonly Kind[] = ['noun', 'value', 'contract', 'refusals'];

/** Words that bring in time, chance, the process or the network without an import. */
const EFFECTFUL_WORDS = new Set(
  [
    'process fetch performance crypto console globalThis WebSocket EventSource navigator localStorage',
    'setTimeout setInterval setImmediate queueMicrotask require eval Function SharedArrayBuffer Atomics',
  ].flatMap((words) => words.split(' ')),
);

const EFFECTFUL_MEMBERS = [
  ['Date', 'now'],
  ['Math', 'random'],
  ['Temporal', 'Now'],
  ['AbortSignal', 'timeout'],
];

/** Effects in files that must be functions of what they are given. */
export function purityComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  const files = programsOf(
    tree,
    (path) =>
      path.startsWith('src/') && (PURE_KINDS.includes(kindOf(path, plan)) || PURE_PLATFORM.includes(path)),
  );
  return files.flatMap((file) => [...importedEffects(file, plan), ...writtenEffects(file)]);
}

/** Exceptions that no file needs any more. */
export function idlePurityExceptions(tree: SourceTree): Complaint[] {
  return PURE_NAMES.flatMap(({ path, module, names }) => {
    const [file] = programsOf(tree, (candidate) => candidate === path);
    const used =
      file === undefined ? [] : importsOf(file.tokens).filter((wanted) => wanted.specifier === module);
    const idle = names.filter((name) => !used.some((wanted) => wanted.names.includes(name)));
    return idle.map((name) => `${path} is allowed ${name} of ${module} and does not use it`);
  });
}

function importedEffects({ path, tokens }: SourceFile, plan: Plan): Complaint[] {
  return importsOf(tokens).flatMap(({ specifier, isTypeOnly, isDynamic, names, line }) => {
    const target = resolvedPath(path, specifier);
    const say = (reason: string) => [`${path}:${line}: ${reason}`];
    if (isDynamic || specifier === COMPUTED) return say('a pure file loads nothing while it runs');
    if (isTypeOnly) return [];
    if (target !== null) {
      const isEffectful = kindOf(target, plan) === 'platform' && !PURE_PLATFORM.includes(target);
      return isEffectful ? say(`a pure file uses ${target}, which has effects`) : [];
    }
    const allowed = PURE_NAMES.find((pure) => pure.path === path && pure.module === specifier)?.names ?? [];
    if (isBuiltin(specifier)) {
      const effects = names.filter((name) => !allowed.includes(name));
      return effects.length === 0 ? [] : say(`a pure file uses ${effects.join(', ')} of ${specifier}`);
    }
    const packages = PURE_PACKAGES[kindOf(path, plan)] ?? [];
    return packages.includes(specifier) || allowed.length > 0
      ? []
      : say(`a pure file uses the package ${specifier}`);
  });
}

function writtenEffects({ path, tokens }: SourceFile): Complaint[] {
  return tokens.flatMap((token, index) => {
    const effect = effectAt(tokens, index);
    return effect === null ? [] : [`${path}:${token.line}: a pure file uses ${effect}`];
  });
}

function effectAt(tokens: readonly Token[], index: number): string | null {
  const token = tokens[index];
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  if (token?.kind !== 'word' || isToken(before, '.') || isToken(before, '?.')) return null;
  const isKey = isToken(after, ':') || (isToken(after, '?') && isToken(tokens[index + 2], ':'));
  if (EFFECTFUL_WORDS.has(token.text) && !isKey) return token.text;
  if (token.text === 'Date' && isClockReading(tokens, index)) return 'the clock (Date without a moment)';
  const member = tokens[index + 2]?.text;
  const isMember = isToken(after, '.') || isToken(after, '?.');
  const isEffect = EFFECTFUL_MEMBERS.some(
    ([object, name]) => token.text === object && isMember && member === name,
  );
  return isEffect ? `${token.text}.${member}` : null;
}

/** `new Date()`, `new Date` and `Date()`: all of them say what time it is now. */
function isClockReading(tokens: readonly Token[], index: number): boolean {
  const hasArguments = isToken(tokens[index + 1], '(') && !isToken(tokens[index + 2], ')');
  const isCalled = isToken(tokens[index + 1], '(');
  return isToken(tokens[index - 1], 'new') ? !hasArguments : isCalled;
}
