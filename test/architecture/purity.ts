import { isBuiltin } from './direction.ts';
import { COMPUTED, importsOf } from './imports.ts';
import { type Kind, kindOf, type Plan } from './plan.ts';
import { memberOf, type NodeInTree, nameOf } from './program.ts';
import {
  type Complaint,
  isOfService,
  programsOf,
  resolvedPath,
  type SourceFile,
  type SourceTree,
} from './source-tree.ts';

/**
 * Names of Node that only compute, and why the file needs them: everything else of Node is an
 * effect to a noun.
 */
const PURE_NAMES: readonly { path: string; module: string; names: readonly string[]; why: string }[] = [
  {
    path: 'src/values/ip-address.ts',
    module: 'node:net',
    names: ['isIP'],
    why: 'a question about a text',
  },
  {
    path: 'src/values/ip-address.ts',
    module: 'ipaddr.js',
    names: ['default'],
    why: 'addresses as bytes, and whether one lies in a network',
  },
  {
    path: 'src/reconciliation/settlement-entry.ts',
    module: '#settlement-files',
    names: ['ENTRY_KINDS', 'SETTLEMENT_FORMATS'],
    why: 'lists of names',
  },
  {
    path: 'src/console/parts/page-parts.ts',
    module: '#settlement-files',
    names: ['FORMATS'],
    why: 'titles of the formats',
  },
  {
    path: 'src/transactions/methods/boleto/print/boleto-to-print.ts',
    module: '#settlement-files',
    names: ['bradescoDigit', 'digit9'],
    why: 'check digits of a number on paper',
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
    path: 'src/console/users/session.ts',
    module: 'node:crypto',
    names: ['hash'],
    why: 'the rule by which a session is found, and by which a form is known to be of its page',
  },
  {
    path: 'src/providers/acquirers/short-reference.ts',
    module: 'node:crypto',
    names: ['createHash'],
    why: 'the rule by which a charge is found at its acquirer',
  },
  {
    path: 'src/values/exact-json.ts',
    module: 'node:buffer',
    names: ['isUtf8'],
    why: 'a question about bytes',
  },
  {
    path: 'src/values/qr-code.ts',
    module: 'node:zlib',
    names: ['crc32', 'deflateSync'],
    why: 'the form of a PNG as a function of its pixels',
  },
  {
    path: 'src/values/qr-code.ts',
    module: 'uqr',
    names: ['encode'],
    why: 'which modules of a QR code are dark',
  },
];

/** Files of the platform that are shapes and sentences only; they are held to the same rules as nouns. */
const PURE_PLATFORM = [
  'src/platform/clock-skew.ts',
  'src/platform/channels/channel-url.ts',
  'src/platform/channels/unclear.ts',
  'src/platform/requests/body-shape.ts',
  'src/platform/requests/foreign-fields.ts',
  'src/platform/requests/formats.ts',
  'src/platform/requests/text-readings.ts',
  'src/platform/http/checked.ts',
  'src/platform/http/connection-deadlines.ts',
  'src/platform/http/endpoint.ts',
  'src/platform/http/failures.ts',
  'src/platform/pages.ts',
  'src/platform/row-format.ts',
  'src/platform/http/named.ts',
  'src/platform/http/places.ts',
  'src/platform/process-reports/process-report.ts',
  'src/platform/http/refusal.ts',
  'src/platform/http/schema-faults.ts',
  'src/platform/http/sentence.ts',
  'src/platform/work/fair-share.ts',
];

/** Packages that only compute, for those kinds that speak to the wire. */
const PURE_PACKAGES: Partial<Record<Kind, readonly string[]>> = {
  platform: ['typebox', 'ajv'],
};

const PURE_KINDS: readonly Kind[] = ['noun', 'value', 'screens'];

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
    (path) => isOfService(path) && (PURE_KINDS.includes(kindOf(path, plan)) || PURE_PLATFORM.includes(path)),
  );
  return files.flatMap((file) => [...importedEffects(file, plan), ...writtenEffects(file)]);
}

/** Exceptions that no file needs any more. */
export function idlePurityExceptions(tree: SourceTree): Complaint[] {
  return PURE_NAMES.flatMap(({ path, module, names }) => {
    const [file] = programsOf(tree, (candidate) => candidate === path);
    const used =
      file === undefined ? [] : importsOf(file.program).filter((wanted) => wanted.specifier === module);
    const idle = names.filter((name) => !used.some((wanted) => wanted.names.includes(name)));
    return idle.map((name) => `${path} is allowed ${name} of ${module} and does not use it`);
  });
}

function importedEffects({ path, program }: SourceFile, plan: Plan): Complaint[] {
  return importsOf(program).flatMap(({ specifier, isTypeOnly, isDynamic, names, line }) => {
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

function writtenEffects({ path, program }: SourceFile): Complaint[] {
  return program.nodes.flatMap((place) => {
    const effect = effectAt(place);
    return effect === null ? [] : [`${path}:${program.lineOf(place.node)}: a pure file uses ${effect}`];
  });
}

function effectAt(place: NodeInTree): string | null {
  const { node } = place;
  const name = nameOf(node);
  if (name !== null && EFFECTFUL_WORDS.has(name) && isUse(place)) return name;
  const isCall = node.type === 'CallExpression' || node.type === 'NewExpression';
  // `new Date()`, `new Date` and `Date()`: all of them say what time it is now.
  const isGiven = node.type === 'NewExpression' && (node.arguments as unknown[]).length > 0;
  if (isCall && nameOf(node.callee) === 'Date' && !isGiven) return 'the clock (Date without a moment)';
  const member = memberOf(node);
  const isEffect = EFFECTFUL_MEMBERS.some(
    ([object, property]) => member?.object === object && member?.name === property,
  );
  return isEffect ? `${member?.object}.${member?.name}` : null;
}

/** Not the name of a property, of a member of a type, or of something that is imported under another name. */
function isUse({ parent, role }: NodeInTree): boolean {
  if (role === 'property') return parent?.computed === true;
  if (role === 'key') return parent?.computed === true;
  return role !== 'imported' && role !== 'exported';
}
