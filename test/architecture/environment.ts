import { importsOf } from './imports.ts';
import { memberOf, type Node, type NodeInTree, nameOf } from './program.ts';
import { type Complaint, isOfService, isTest, programsOf, type SourceTree } from './source-tree.ts';

const ONLY_READER = 'src/app/config.ts';
/** The programs hand the environment on, and read nothing of it: each to the function named here. */
const GIVERS: Readonly<Record<string, string>> = {
  'src/main.ts': 'start',
  'src/cli/parcela.ts': 'runParcela',
};

/**
 * Readers of the environment beside `config.ts`: a setting that is not in its table is one that
 * cannot be found.
 */
export function environmentComplaints(tree: SourceTree): Complaint[] {
  const files = programsOf(tree, (path) => isOfService(path) && path !== ONLY_READER && !isTest(path));
  return files.flatMap(({ path, program }) => {
    const imported = importsOf(program)
      .filter(({ specifier }) => specifier === 'node:process')
      .map(({ line }) => `${path}:${line}: imports node:process; the global says plainly what is read`);
    const read = program.nodes
      .filter((place) => readsEnvironment(place.node) && !isGiven(place, GIVERS[path]))
      .map(({ node }) => `${path}:${program.lineOf(node)}: reads the environment, which only config.ts does`);
    return [...imported, ...read];
  });
}

/** `process.env`, and `const { env } = process`. */
function readsEnvironment(node: Node): boolean {
  const member = memberOf(node);
  if (member !== null) return member.object === 'process' && member.name === 'env';
  if (node.type !== 'VariableDeclarator' || nameOf(node.init) !== 'process') return false;
  const { properties } = node.id as Node;
  return Array.isArray(properties) && properties.some((property) => nameOf((property as Node).key) === 'env');
}

/** `start(process.env)`. */
function isGiven({ parent, role }: NodeInTree, to: string | undefined): boolean {
  return (
    to !== undefined &&
    parent?.type === 'CallExpression' &&
    role === 'arguments' &&
    nameOf(parent.callee) === to
  );
}
