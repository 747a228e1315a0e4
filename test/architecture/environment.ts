import { importsOf } from './imports.ts';
import { type Complaint, isTest, programsOf, type SourceTree } from './source-tree.ts';
import { isToken } from './tokens.ts';

const ONLY_READER = 'src/app/config.ts';
/** Hands the environment to `readConfiguration`, and reads nothing of it. */
const ONLY_GIVER = 'src/main.ts';

/** Readers of the environment beside `config.ts`: a setting that is not in its table is one that nobody can find. */
export function environmentComplaints(tree: SourceTree): Complaint[] {
  const files = programsOf(tree, (path) => path.startsWith('src/') && path !== ONLY_READER && !isTest(path));
  return files.flatMap(({ path, tokens }) => {
    const complaints = importsOf(tokens)
      .filter(({ specifier }) => specifier === 'node:process')
      .map(({ line }) => `${path}:${line}: imports node:process; the global says plainly what is read`);
    for (const [index, token] of tokens.entries()) {
      if (token.kind !== 'word' || token.text !== 'env') continue;
      const isOfProcess =
        isToken(tokens[index - 2], 'process') && /^\??\.$/.test(tokens[index - 1]?.text ?? '');
      const isTaken = isToken(tokens[index - 1], '{') || isToken(tokens[index - 1], ',');
      const isDestructured =
        isTaken && takesFromProcess(tokens.slice(index + 1, index + 12).map(({ text }) => text));
      if (!isOfProcess && !isDestructured) continue;
      const isGiven =
        isToken(tokens[index - 4], 'readConfiguration') &&
        isToken(tokens[index - 3], '(') &&
        isToken(tokens[index + 1], ')');
      if (isGiven && (path === ONLY_GIVER || path.startsWith('src/cli/'))) continue;
      complaints.push(`${path}:${token.line}: reads the environment, which only config.ts does`);
    }
    return complaints;
  });
}

function takesFromProcess(texts: readonly string[]): boolean {
  const end = texts.indexOf('}');
  return end !== -1 && texts[end + 1] === '=' && texts[end + 2] === 'process';
}
