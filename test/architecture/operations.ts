import { kindOf, type Plan } from './plan.ts';
import { isNode, nameOf, type Program } from './program.ts';
import { type Complaint, isOfService, programsOf, type SourceTree, stemOf } from './source-tree.ts';

/**
 * Operations that do not give what their name says: `cancel-billing.ts` exports the function
 * `cancelBilling`.
 */
export function operationComplaints(tree: SourceTree, plan: Plan): Complaint[] {
  const operations = programsOf(tree, (path) => isOfService(path) && kindOf(path, plan) === 'operation');
  return operations.flatMap(({ path, program }) => {
    const name = stemOf(path).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return exportsFunction(program, name)
      ? []
      : [`${path}:1: an operation exports a function of its name, ${name}`];
  });
}

/**
 * Files with effects whose name begins with no verb of the list would be nouns; those of the
 * command line are free.
 */
function exportsFunction({ nodes }: Program, name: string): boolean {
  return nodes.some(({ node }) => {
    const { declaration } = node;
    if (node.type !== 'ExportNamedDeclaration' || !isNode(declaration)) return false;
    if (declaration.type === 'FunctionDeclaration') return nameOf(declaration.id) === name;
    if (declaration.type !== 'VariableDeclaration' || declaration.kind !== 'const') return false;
    return (declaration.declarations as { id: unknown }[]).some(({ id }) => nameOf(id) === name);
  });
}
