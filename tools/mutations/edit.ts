import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One place of a source and what stands there instead. The text must stand there exactly once. */
export type Edit = { readonly file: string; readonly find: string; readonly put: string };

/**
 * The file in which the text stands, exactly once; `file` may be a pattern. Throws when it has moved: the
 * edit must be anchored anew.
 */
export function fileOf(root: string, { file, find }: Edit): string {
  const holding = globSync(file, { cwd: root }).filter((path) =>
    readFileSync(join(root, path), 'utf8').includes(find),
  );
  const [path] = holding;
  if (path === undefined || holding.length > 1)
    throw new Error(`the text of a planted mistake stands in ${holding.length} files of ${file}:\n${find}`);
  if (readFileSync(join(root, path), 'utf8').split(find).length !== 2)
    throw new Error(`the text of a planted mistake stands more than once in ${path}:\n${find}`);
  return path;
}
