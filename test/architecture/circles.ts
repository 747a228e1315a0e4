import { importsOf } from './imports.ts';
import {
  type Complaint,
  isOfService,
  isTest,
  programsOf,
  resolvedPath,
  type SourceTree,
} from './source-tree.ts';

/** Files that import each other, at least by types, in as many groups. Values never do (`noImportCycles`). */
const MOST_CIRCLES = 3;

/** The circles of imports, where there are more than so many. */
export function circleComplaints(tree: SourceTree, most = MOST_CIRCLES): Complaint[] {
  const circles = circlesOf(tree);
  return circles.length <= most ? [] : circles.map((files) => `${files.join(', ')}: import each other`);
}

function circlesOf(tree: SourceTree): string[][] {
  const imports = new Map(
    programsOf(tree, (path) => isOfService(path) && !isTest(path)).map(({ path, program }) => [
      path,
      importsOf(program).map(({ specifier }) => resolvedPath(path, specifier)),
    ]),
  );
  const reached = new Map([...imports.keys()].map((path) => [path, reachedFrom(path, imports)]));
  const left = new Set([...imports.keys()].filter((path) => reached.get(path)?.has(path)));
  const circles: string[][] = [];
  for (const path of left) {
    const circle = [...left].filter(
      (other) => reached.get(path)?.has(other) && reached.get(other)?.has(path),
    );
    for (const other of circle) left.delete(other);
    circles.push(circle);
  }
  return circles;
}

/** The file itself is among them where a way leads back to it. */
function reachedFrom(start: string, imports: ReadonlyMap<string, readonly (string | null)[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const target of imports.get(path) ?? []) {
      if (target === null || reached.has(target) || !imports.has(target)) continue;
      reached.add(target);
      waiting.push(target);
    }
  }
  return reached;
}
