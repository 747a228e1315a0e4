import type { SourceTree } from './source-tree.ts';
import { isTest, stemOf } from './source-tree.ts';

/** What ARCHITECTURE.md says of the source: the page is the rule, the fences read it. */
export type Plan = {
  /** The folders of `src/`; awaited ones come with a later issue. */
  readonly modules: readonly { readonly name: string; readonly isAwaited: boolean }[];
  /** The files that stand in `src/` itself. */
  readonly files: readonly string[];
  /** The order of imports: each group imports the groups after it. */
  readonly line: readonly (readonly string[])[];
  /** By module, the same order of its folders, where the page has one. */
  readonly folders: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** What names of operations begin with. */
  readonly verbs: ReadonlySet<string>;
};

/** Reads the page; throws when a part of it cannot be found, so that a fence never stands on nothing. */
export function readPlan(tree: SourceTree): Plan {
  const page = tree.get('ARCHITECTURE.md') ?? '';
  const list = /^## Modules\n+```\nsrc\/\n([\s\S]*?)^(?:homologation|simulators)\//m.exec(page)?.[1] ?? '';
  const entries = [...list.matchAll(/^ {2}(\S+)( [\s\S]*?)?(?=^ {2}\S|(?![\s\S]))/gm)];
  const modules = entries
    .filter(([, name = '']) => name.endsWith('/'))
    .map(([, name = '', about = '']) => ({
      name: name.slice(0, -1),
      isAwaited: /\(comes with issue/.test(about),
    }));
  const files = entries.map(([, name = '']) => name).filter((name) => name.endsWith('.ts'));
  const line = groupsOf(/^`([^`\n]* → [^`\n]* → [^`\n]*)`$/m.exec(page)?.[1] ?? '');
  const folders = new Map(
    [...page.matchAll(/^Folders of `(\w+)\/`, likewise: `([^`\n]*)`/gm)].map(
      ([, module = '', groups = '']) => [module, groupsOf(groups)] as const,
    ),
  );
  const verbs = (/^Verbs of operations: ([\s\S]*?)\./m.exec(page)?.[1] ?? '')
    .split(',')
    .map((verb) => verb.trim());
  if (modules.length < 2 || line.length < 2 || verbs.length < 2) {
    throw new Error(
      'ARCHITECTURE.md lacks the list of modules, the line of imports or the verbs of operations',
    );
  }
  return { modules, files, line, folders, verbs: new Set(verbs) };
}

function groupsOf(line: string): string[][] {
  return line.split('→').map((group) => group.split(',').map((name) => name.trim()));
}

/** What a file of `src/` is, by its place and name. */
export type Kind =
  | 'root'
  | 'cli'
  | 'platform'
  | 'value'
  | 'adapter'
  | 'test'
  | 'sql'
  | 'endpoints'
  | 'module'
  | 'screens'
  | 'operation'
  | 'noun';

const NAMED_KINDS: Readonly<Record<string, Kind>> = {
  contract: 'endpoints',
  endpoints: 'endpoints',
  screens: 'screens',
  actions: 'screens',
  view: 'screens',
};

/**
 * What a first start brings along, so that nobody needs to install a PostgreSQL: infrastructure, of
 * homologation only.
 */
const INFRASTRUCTURE_OF_HOMOLOGATION = ['homologation/embedded-postgres/', 'homologation/data-folder.ts'];
/** Nouns whose first word is the verb of an operation too. */
const NOUNS_LIKE_VERBS = ['alert-endpoint', 'audit-chain', 'audit-event', 'charge-result'];

/** Beside `src/`, and a module all the same. */
export const HOMOLOGATION = 'homologation';
/** What `src/` uses of homologation, and nothing else of it. */
export const DOOR_OF_HOMOLOGATION = 'homologation/index.ts';

export function moduleOf(path: string): string {
  const [top, module = '', ...rest] = path.split('/');
  if (top === HOMOLOGATION) return top;
  return rest.length === 0 ? stemOf(path) : module;
}

export function kindOf(path: string, plan: Plan): Kind {
  if (isTest(path)) return 'test';
  const module = moduleOf(path);
  if (module === 'app' || path === DOOR_OF_HOMOLOGATION) return 'root';
  if (path.startsWith('src/') && path.split('/').length === 2) return 'root';
  if (module === 'cli' || module === 'platform') return module;
  if (INFRASTRUCTURE_OF_HOMOLOGATION.some((place) => path.startsWith(place))) return 'platform';
  if (module === 'values') return 'value';
  // What a browser runs is on the other side of the wire.
  if (path.startsWith('src/console/assets/') || path.endsWith('.js')) return 'adapter';
  // Behind a port everything is allowed that the other side asks for.
  if (path.includes('/adapters/')) return 'adapter';
  if (path.endsWith('.sql.ts')) return 'sql';
  const stem = stemOf(path);
  if (stem === 'module') return 'module';
  const [verb = '', ...object] = stem.split('-');
  return (
    NAMED_KINDS[object.at(-1) ?? verb] ??
    (object.length > 0 && plan.verbs.has(verb) && !NOUNS_LIKE_VERBS.includes(stem) ? 'operation' : 'noun')
  );
}
