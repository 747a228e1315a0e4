import { isBuiltin as isModuleOfNode } from 'node:module';
import { dirname } from 'node:path/posix';
import { COMPUTED, type Import, importsOf } from './imports.ts';
import { DOOR_OF_HOMOLOGATION, HOMOLOGATION, type Kind, kindOf, moduleOf, type Plan } from './plan.ts';
import {
  type Complaint,
  isOfService,
  isTest,
  programsOf,
  resolvedPath,
  type SourceFile,
  type SourceTree,
  stemOf,
} from './source-tree.ts';

/** The composition root: it builds the service out of infrastructure and modules. */
const COMPOSITION_ROOT = ['main', 'app'];
const CONFIG = 'src/app/config.ts';
/** The only file of `src/` that names anything of homologation. Production never calls it. */
const SEAM = 'src/app/homologation.ts';
/** The only files of `app/` that the command line uses too. */
const FOR_COMMANDS = [CONFIG, SEAM];
/** Read by `config.ts` alone. */
const SETTINGS = 'src/app/settings.ts';
/** Data of the simulators that homologation starts: it prints for merchants what they react to. */
const SIMULATED = /^simulators\/(acquirer|bank|pix|kit\/cards)\/[\w-]+\.json$/;
/**
 * What simulators share: how a ledger is kept and a field is read, the days of banks; and in folders, what
 * those of acquirers have in common.
 */
const KIT_OF_SIMULATORS = /^simulators\/kit(\/|$)/;

/** A method of payment: the money that all methods share knows nothing of them, nor does one of another. */
const METHOD = /^src\/transactions\/methods\/(\w+)\//;
/** They choose between methods: the module opens each, and what a person decides may be a charge of each. */
const CHOOSE_METHODS = ['src/transactions/module.ts', 'src/transactions/unresolved/decide-unresolved.ts'];

/** Imports of the service that run against the line of ARCHITECTURE.md, or that leave it. */
export function directionComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  return complaintsOfImports(tree, isOfService, (file, wanted) => {
    const target = resolvedPath(file.path, wanted.specifier);
    if (isTest(file.path)) return target === null ? null : seamFault(file.path, target, wanted);
    if (wanted.specifier === COMPUTED) return 'imports something computed, which nobody can check';
    if (target === null) return null;
    if (target === 'package.json') return null;
    if (SIMULATED.test(target) && moduleOf(file.path) === HOMOLOGATION) return null;
    if (!isOfService(target)) return `reaches out of src/ to ${target}`;
    if (!tree.has(target)) return `imports ${target}, which is not there`;
    return faultOf(file.path, target, wanted, plan);
  });
}

function faultOf(from: string, target: string, wanted: Import, plan: Plan): string | null {
  const [module, targetModule] = [moduleOf(from), moduleOf(target)];
  if (isTest(target)) return `imports the test ${target}`;
  if (targetModule === 'main') return 'imports main.ts, which nobody does';
  if (target === SETTINGS) return from === CONFIG ? null : 'imports settings.ts, which only config.ts reads';
  if (module !== HOMOLOGATION && targetModule === HOMOLOGATION) return seamFault(from, target, wanted);
  if (module === targetModule) return methodFault(from, target) ?? folderFault(from, target, plan);
  const rank = plan.line.findIndex((group) => group.includes(module));
  const targetRank = plan.line.findIndex((group) => group.includes(targetModule));
  if (targetRank === -1) return `imports ${targetModule}, which has no place in the line of ARCHITECTURE.md`;
  if (targetModule === 'app') {
    if (module === 'main' || (module === 'cli' && FOR_COMMANDS.includes(target))) return null;
    return `imports ${target}: only main.ts builds the service, and only cli/ uses ${FOR_COMMANDS} beside it`;
  }
  if (COMPOSITION_ROOT.includes(module)) return targetModule === 'cli' ? 'imports cli' : null;
  if (rank === -1) return `stands in ${module}, which has no place in the line of ARCHITECTURE.md`;
  if (targetRank > rank) return null;
  return `${module} imports ${targetModule}: against the line of ARCHITECTURE.md`;
}

/** What `src/`, its tests too, may not have of homologation. */
function seamFault(from: string, target: string, wanted: Import): string | null {
  if (moduleOf(from) === HOMOLOGATION || moduleOf(target) !== HOMOLOGATION) return null;
  if (from !== SEAM) return `imports ${target}: src/ has of homologation what ${SEAM} loads`;
  if (target !== DOOR_OF_HOMOLOGATION) return `imports ${target}: ${DOOR_OF_HOMOLOGATION} has what is used`;
  return wanted.isDynamic || wanted.isTypeOnly
    ? null
    : 'imports homologation at the start: production must never load it';
}

/** Folders of a module that the page has in a line; files beside them are everybody's. */
function folderFault(from: string, target: string, plan: Plan): string | null {
  const line = plan.folders.get(moduleOf(from));
  const [folder, targetFolder] = [from, target].map((path) => path.split('/').slice(2, -1)[0]);
  if (line === undefined || folder === undefined || folder === targetFolder) return null;
  if (targetFolder === undefined) return null;
  const rankOf = (name: string) => line.findIndex((group) => group.includes(name));
  const [rank, targetRank] = [rankOf(folder), rankOf(targetFolder)];
  if (rank !== -1 && targetRank > rank) return null;
  return `${folder} imports ${targetFolder}: against the line of the folders in ARCHITECTURE.md`;
}

function methodFault(from: string, target: string): string | null {
  const method = METHOD.exec(target)?.[1];
  const isFree = method === undefined || METHOD.exec(from)?.[1] === method || CHOOSE_METHODS.includes(from);
  const isOfModule = from.startsWith('src/transactions/');
  return isFree || !isOfModule ? null : `imports ${target}, which only one method of payment has`;
}

/**
 * A simulator shares nothing with the service, not even a package: an oracle that shares our code
 * proves little. Nor does one reach into another: what several need is in their kit.
 */
export function simulatorComplaints(tree: SourceTree): Complaint[] {
  return complaintsOfImports(
    tree,
    (path) => path.startsWith('simulators/') && !isTest(path),
    (file, wanted) => {
      const target = resolvedPath(file.path, wanted.specifier);
      if (target !== null) {
        const folder = dirname(target);
        return folder === dirname(file.path) || KIT_OF_SIMULATORS.test(folder)
          ? null
          : `the simulator reaches out of its folder to ${target}`;
      }
      return isBuiltin(wanted.specifier) ? null : `the simulator imports ${wanted.specifier}`;
    },
  );
}

/** What is published by itself uses nothing but Node, and nothing of this repository. */
export function packageComplaints(tree: SourceTree): Complaint[] {
  return complaintsOfImports(
    tree,
    (path) => path.startsWith('packages/'),
    (file, wanted) => {
      const target = resolvedPath(file.path, wanted.specifier);
      const [home, inside] = /^packages\/[\w-]+\/(src|test)\//.exec(file.path) ?? [];
      if (home === undefined) return 'the package has programs in src/ and test/ alone';
      const ofPackage = home.slice(0, -(inside ?? '').length - 1);
      if (target !== null)
        return target.startsWith(inside === 'src' ? home : ofPackage)
          ? null
          : `the package reaches out to ${target}`;
      const isFree = isBuiltin(wanted.specifier) || (inside === 'test' && wanted.specifier === 'fast-check');
      return isFree ? null : `the package imports ${wanted.specifier}`;
    },
  );
}

export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') && isModuleOfNode(specifier);
}

/** Which kinds of file a kind may use the values of, when they are in the modules of the business. */
const MAY_USE: Partial<Record<Kind, readonly Kind[]>> = {
  value: ['value'],
  noun: ['value', 'noun', 'platform'],
  sql: ['value', 'noun', 'platform', 'sql'],
  operation: ['value', 'noun', 'platform', 'sql', 'operation', 'adapter'],
  endpoints: ['value', 'noun', 'platform', 'sql', 'operation', 'endpoints'],
  screens: ['value', 'noun', 'platform', 'endpoints', 'screens'],
};

/**
 * A module is opened by the composition root, and one inside another by that. Its type may be named
 * by whoever is given it.
 */
function mayOpen(from: string, target: string): boolean {
  if (moduleOf(from) === 'app' || from === DOOR_OF_HOMOLOGATION) return true;
  return stemOf(from) === 'module' && dirname(dirname(target)).replace(/\/methods$/, '') === dirname(from);
}

/** Imports between kinds of file that the table of ARCHITECTURE.md does not have. Types alone bind nobody. */
export function kindComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  return complaintsOfImports(
    tree,
    (path) => isOfService(path) && !isTest(path),
    (file, wanted) => {
      const target = resolvedPath(file.path, wanted.specifier);
      if (target === null || !isOfService(target) || target.endsWith('.json')) return null;
      const [kind, targetKind] = [kindOf(file.path, plan), kindOf(target, plan)];
      const isFarFromWire = kind === 'operation' && ['endpoints', 'module'].includes(targetKind);
      if (isFarFromWire) return `an operation knows nothing of the wire, and this one imports ${target}`;
      if (wanted.isTypeOnly) return null;
      if (targetKind === 'module' && !mayOpen(file.path, target)) {
        return `opens ${target}, which only app/ and the module around it do`;
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
    importsOf(file.program).flatMap((wanted) => {
      const reason = fault(file, wanted);
      return reason === null ? [] : [`${file.path}:${wanted.line}: ${reason}`];
    }),
  );
}
