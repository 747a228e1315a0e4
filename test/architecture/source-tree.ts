import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, parseProgram } from './program.ts';

/**
 * Texts by path from the root of the repository. The fences read nothing else, so that bad trees
 * can be planted.
 */
export type SourceTree = ReadonlyMap<string, string>;

/** What a fence has to say against a tree: `path:line: what is wrong`. None when all is well. */
export type Complaint = string;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = [
  'src',
  'homologation',
  'packages',
  'simulators',
  'conformance',
  'tools',
  'bench',
  'chaos',
  'test',
  'migrations',
  'docs/pt',
];
const PAGES = ['ARCHITECTURE.md', 'README.pt-BR.md'];
const KEPT = /\.(ts|mjs|js|json|sql|md)$/;

/** The tree that this file is part of. */
export function readSourceTree(): SourceTree {
  const tree = new Map<string, string>();
  for (const page of PAGES) {
    const text = textOf(page);
    if (text !== null) tree.set(page, text);
  }
  for (const folder of FOLDERS) addFolder(tree, folder);
  return tree;
}

function addFolder(tree: Map<string, string>, folder: string): void {
  for (const entry of entriesOf(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) addFolder(tree, path);
    else if (KEPT.test(entry.name)) tree.set(path, textOf(path) ?? '');
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(join(ROOT, folder), { withFileTypes: true });
  } catch {
    return [];
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return null;
  }
}

export type SourceFile = { readonly path: string; readonly text: string; readonly program: Program };

const parsedFiles = new Map<string, SourceFile>();

/** The programs of a tree; each is parsed when it is first looked into. */
export function programsOf(tree: SourceTree, wanted: (path: string) => boolean): SourceFile[] {
  const files: SourceFile[] = [];
  for (const [path, text] of tree) {
    if (!/\.(ts|mjs|js)$/.test(path) || !wanted(path)) continue;
    const known = parsedFiles.get(path);
    const file = known?.text === text ? known : sourceFile(path, text);
    parsedFiles.set(path, file);
    files.push(file);
  }
  return files;
}

function sourceFile(path: string, text: string): SourceFile {
  let program: Program | null = null;
  return {
    path,
    text,
    get program() {
      program ??= parseProgram(path, text);
      return program;
    },
  };
}

/** Of the service: of `src/`, or of what it loads in homologation. */
export function isOfService(path: string): boolean {
  return /^(src|homologation)\//.test(path);
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** `src/cards/card.ts` → `card`; everything after the first dot is the kind of file. */
export function stemOf(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\..*$/, '');
}

/** Where a relative specifier leads, from the root; null for a package or a module of Node. */
export function resolvedPath(from: string, specifier: string): string | null {
  return specifier.startsWith('.') ? join(dirname(from), specifier) : null;
}
