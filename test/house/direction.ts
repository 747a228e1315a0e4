import { isBuiltin as isModuleOfNode } from 'node:module';
import { COMPUTED, type Import, importsOf } from './imports.ts';
import { type Kind, kindOf, type Plan, roomOf } from './plan.ts';
import {
  type Complaint,
  isTest,
  programsOf,
  resolvedPath,
  type SourceFile,
  type SourceTree,
} from './source-tree.ts';

/**
 * These stand beside the line: main builds the house out of its surroundings and rooms, api lists the rooms' contracts,
 * config reads the settings.
 */
const BESIDE_THE_LINE = [
  'main',
  'rooms',
  'money-rooms',
  'webhook-rooms',
  'recurrence-rooms',
  'clock-rooms',
  'surroundings',
  'api',
  'config',
  'settings',
];
/** What main is made of: nobody else imports it. */
const PARTS_OF_MAIN = [
  'rooms',
  'money-rooms',
  'webhook-rooms',
  'recurrence-rooms',
  'clock-rooms',
  'surroundings',
];
/** Only main and the command line read the configuration and hand its values down. */
const READERS_OF_CONFIG = ['main', 'rooms', 'money-rooms', 'webhook-rooms', 'surroundings', 'cli'];
/** Loaded at run time, and only in homologation: production never loads it. */
const HOMOLOGATION = 'homologation';

/** Imports of `src/` that run against the line of ARCHITECTURE.md, or that leave the house. */
export function directionComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  return complaintsOfImports(
    tree,
    (path) => path.startsWith('src/') && !isTest(path),
    (file, wanted) => {
      const target = resolvedPath(file.path, wanted.specifier);
      if (wanted.specifier === COMPUTED) return 'imports something computed, which nobody can check';
      if (target === null) return null;
      if (target === 'package.json') return null;
      if (!target.startsWith('src/')) return `reaches out of src/ to ${target}`;
      if (!tree.has(target)) return `imports ${target}, which is not there`;
      return faultOf(file.path, target, wanted, plan);
    },
  );
}

function faultOf(from: string, target: string, wanted: Import, plan: Plan): string | null {
  const [room, targetRoom] = [roomOf(from), roomOf(target)];
  if (isTest(target)) return `imports the test ${target}`;
  if (targetRoom === 'main') return 'imports main.ts, which nobody does';
  if (targetRoom === 'config') {
    return READERS_OF_CONFIG.includes(room) ? null : 'imports config.ts, which only main and cli read';
  }
  if (targetRoom === 'settings')
    return room === 'config' ? null : 'imports settings.ts, which only config.ts reads';
  if (targetRoom === 'api') return room === 'rooms' ? null : 'imports api.ts, which only rooms.ts serves';
  if (PARTS_OF_MAIN.includes(targetRoom)) {
    return [...PARTS_OF_MAIN, 'main'].includes(room)
      ? null
      : `imports ${targetRoom}.ts, which is a part of main.ts`;
  }
  if (room === targetRoom) return null;
  const rank = plan.line.findIndex((group) => group.includes(room));
  const targetRank = plan.line.findIndex((group) => group.includes(targetRoom));
  if (targetRank === -1) return `imports ${targetRoom}, which has no place in the line of ARCHITECTURE.md`;
  if (BESIDE_THE_LINE.includes(room) && room !== 'api' && targetRoom === HOMOLOGATION) {
    const isLate = wanted.isDynamic || wanted.isTypeOnly;
    return isLate ? null : 'imports homologation at the start: production must never load it';
  }
  if (room === 'api') return targetRoom === 'cli' ? 'imports cli' : null;
  if (BESIDE_THE_LINE.includes(room) && targetRank > 0) return null;
  if (rank === -1) return `stands in ${room}, which has no place in the line of ARCHITECTURE.md`;
  if (targetRank > rank) return null;
  return `${room} imports ${targetRoom}: against the line of ARCHITECTURE.md`;
}

/** The simulator shares nothing with the service, not even a package: an oracle that shares our code proves little. */
export function simulatorComplaints(tree: SourceTree): Complaint[] {
  return complaintsOfImports(
    tree,
    (path) => path.startsWith('simulator/') && !isTest(path),
    (file, wanted) => {
      const target = resolvedPath(file.path, wanted.specifier);
      if (target !== null) {
        return target.startsWith('simulator/')
          ? null
          : `the simulator reaches out of its folder to ${target}`;
      }
      return isBuiltin(wanted.specifier) ? null : `the simulator imports ${wanted.specifier}`;
    },
  );
}

export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') && isModuleOfNode(specifier);
}

/** Which kinds of file a kind may use the values of, when they are in the rooms of the business. */
const MAY_USE: Partial<Record<Kind, readonly Kind[]>> = {
  value: ['value'],
  noun: ['value', 'noun', 'platform'],
  sql: ['value', 'noun', 'platform', 'sql'],
  operation: ['value', 'noun', 'platform', 'sql', 'operation', 'adapter'],
  contract: ['value', 'noun', 'platform', 'contract'],
  refusals: ['value', 'noun', 'platform', 'refusals'],
};

/** Imports between kinds of file that the table of ARCHITECTURE.md does not have. Types alone bind nobody. */
export function kindComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  return complaintsOfImports(
    tree,
    (path) => path.startsWith('src/') && !isTest(path),
    (file, wanted) => {
      const target = resolvedPath(file.path, wanted.specifier);
      if (target === null || !target.startsWith('src/') || target.endsWith('.json')) return null;
      const [kind, targetKind] = [kindOf(file.path, plan), kindOf(target, plan)];
      const isFarFromWire = kind === 'operation' && ['contract', 'routes'].includes(targetKind);
      if (isFarFromWire) return `an operation knows nothing of the wire, and this one imports ${target}`;
      if (wanted.isTypeOnly) return null;
      if (['routes', 'work'].includes(kind)) {
        const isNear = roomOf(target) === roomOf(file.path) || ['platform', 'value'].includes(targetKind);
        return isNear ? null : `${kind} use their own room and the platform, and this imports ${target}`;
      }
      const allowed = MAY_USE[kind];
      if (allowed === undefined || allowed.includes(targetKind)) return null;
      return `a file of kind ${kind} must not use ${target}, of kind ${targetKind}`;
    },
  );
}

function complaintsOfImports(
  tree: SourceTree,
  isWanted: (path: string) => boolean,
  fault: (file: SourceFile, wanted: Import) => string | null,
): Complaint[] {
  return programsOf(tree, isWanted).flatMap((file) =>
    importsOf(file.tokens).flatMap((wanted) => {
      const reason = fault(file, wanted);
      return reason === null ? [] : [`${file.path}:${wanted.line}: ${reason}`];
    }),
  );
}
