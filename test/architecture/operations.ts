import { kindOf, type Plan } from './plan.ts';
import { type Complaint, programsOf, type SourceTree, stemOf } from './source-tree.ts';
import { isToken, type Token } from './tokens.ts';

/** Operations that do not give what their name says: `cancel-billing.ts` exports the function `cancelBilling`. */
export function operationComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  const operations = programsOf(
    tree,
    (path) => path.startsWith('src/') && kindOf(path, plan) === 'operation',
  );
  return operations.flatMap(({ path, tokens }) => {
    const name = stemOf(path).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return exportsFunction(tokens, name)
      ? []
      : [`${path}:1: an operation exports a function of its name, ${name}`];
  });
}

/** Files with effects whose name begins with no verb of the list would be nouns; those of the command line are free. */
function exportsFunction(tokens: readonly Token[], name: string): boolean {
  return tokens.some((token, index) => {
    if (token.text !== name || token.kind !== 'word') return false;
    const words = tokens.slice(Math.max(0, index - 3), index).map(({ text }) => text);
    const isFunction = /(^|\W)export (async )?function$/.test(words.join(' '));
    const isConstant = words.slice(-2).join(' ') === 'export const' && isToken(tokens[index + 1], '=');
    return isFunction || isConstant;
  });
}
