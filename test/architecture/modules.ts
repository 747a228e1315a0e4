import { dirname } from 'node:path/posix';
import { HOMOLOGATION, type Plan } from './plan.ts';
import { type Complaint, isOfService, isTest, type SourceTree, stemOf } from './source-tree.ts';

/** A module (or a folder of one) with more files than these is divided by noun. */
const MOST_FILES_IN_A_ROOM = 25;
/** A drawer says nothing of what is in it. `data-keys` is no drawer: the last word says what the thing is. */
const DRAWERS = new Set(
  [
    'util utils utility utilities helper helpers common core base manager managers service services',
    'handler handlers data misc shared lib stuff',
  ].flatMap((names) => names.split(' ')),
);
/** In tests and measurements the service is a thing: the one that runs. */
const DRAWERS_OF_SRC = new Set(['service', 'services']);
/** A module is divided by what its things are, never by what kinds of file they are. */
const KINDS_AS_FOLDERS = new Set(
  [
    'contracts routes sql queries refusals works operations commands nouns types models entities',
    'schemas rules controllers repositories interfaces constants',
  ].flatMap((names) => names.split(' ')),
);

/** Where the list of modules in ARCHITECTURE.md and the folders of `src/` differ. */
export function moduleListComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  const complaints: Complaint[] = [];
  const inSrc = [...tree.keys()]
    .filter((path) => path.startsWith('src/'))
    .map((path) => path.split('/').slice(1));
  const folders = new Set(inSrc.filter(({ length }) => length > 1).map(([module = '']) => module));
  const files = new Set(inSrc.filter(({ length }) => length === 1).map(([file = '']) => file));
  for (const { name, isAwaited } of plan.modules) {
    if (!isAwaited && !folders.has(name))
      complaints.push(`ARCHITECTURE.md: src/${name}/ is listed and not there`);
    if (isAwaited && folders.has(name)) {
      complaints.push(`ARCHITECTURE.md: src/${name}/ is there: take the words "comes with issue" from it`);
    }
  }
  const listed = new Set(plan.modules.map(({ name }) => name));
  for (const folder of folders) {
    if (!listed.has(folder)) complaints.push(`src/${folder}/: not in the list of modules of ARCHITECTURE.md`);
  }
  for (const file of plan.files) {
    if (!files.has(file)) complaints.push(`ARCHITECTURE.md: src/${file} is listed and not there`);
  }
  for (const file of files) {
    if (!plan.files.includes(file)) complaints.push(`src/${file}: not in the list of ARCHITECTURE.md`);
  }
  return complaints;
}

/** Modules that have a place in the list and none in the line of imports, or the reverse. */
export function lineComplaints(plan: Plan): Complaint[] {
  const inLine = plan.line.flat();
  const modules = plan.modules.map(({ name }) => name);
  return [
    ...modules
      .filter((module) => !inLine.includes(module))
      .map((module) => `ARCHITECTURE.md: ${module} is not in the line`),
    ...inLine

      .filter((module) => module !== HOMOLOGATION)
      .filter((module) => !modules.includes(module) && !plan.files.includes(`${module}.ts`))
      .map((module) => `ARCHITECTURE.md: ${module} stands in the line and not in the list of modules`),
  ];
}

/** Modules that have grown too wide or too deep, or were divided by kind. */
export function divisionComplaints(tree: SourceTree): Complaint[] {
  const complaints: Complaint[] = [];
  const counts = new Map<string, number>();
  for (const path of tree.keys()) {
    if (!isOfService(path) || isTest(path)) continue;
    const folder = dirname(path);
    const folders = folder
      .replace(/^src\/?/, '')
      .split('/')
      .filter(Boolean);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
    if (folders.length > deepest(folders)) complaints.push(`${path}:1: modules are divided one level deep`);
    const [module = '', ...parts] = folders;
    if (module === 'platform') continue;
    for (const part of parts) {
      if (KINDS_AS_FOLDERS.has(part)) complaints.push(`${path}:1: ${part} divides a module by kind of file`);
    }
  }
  for (const [folder, count] of counts) {
    if (count > MOST_FILES_IN_A_ROOM && folder !== 'src') {
      complaints.push(`${folder}: ${count} files; more than ${MOST_FILES_IN_A_ROOM} are divided by noun`);
    }
  }
  return complaints;
}

/** Adapters have a folder for each other side, providers one for each kind; a method is a module. */
function deepest([module, part, ...others]: readonly string[]): number {
  const adapters = [part, ...others].includes('adapters') ? 1 : 0;
  if (part === 'methods') return 4;
  return (module === 'providers' ? 3 : 2) + adapters;
}

/** Files and folders whose names say nothing. */
export function drawerComplaints(tree: SourceTree): Complaint[] {
  const complaints = new Set<Complaint>();
  for (const path of tree.keys()) {
    const parts = path.split('/');
    if (parts.length === 1) continue;
    for (const [index, part] of parts.entries()) {
      const isFile = index === parts.length - 1;
      const lastWord = (isFile ? stemOf(path) : part).split('-').at(-1) ?? '';
      const isThingHere = !path.startsWith('src/') && DRAWERS_OF_SRC.has(lastWord);
      if (DRAWERS.has(lastWord.toLowerCase()) && !isThingHere) {
        complaints.add(`${parts.slice(0, index + 1).join('/')}: ${lastWord} is a drawer, not a name`);
      }
    }
  }
  return [...complaints];
}
