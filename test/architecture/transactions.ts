import { isNode, type Node, nameOf } from './program.ts';
import { isOfService, programsOf, type SourceFile, type SourceTree } from './source-tree.ts';

/** Types of a transaction that is under way. */
const TX_TYPES = new Set(['Tx', 'AuditedTx']);
/** Functions that run what they get in a transaction. */
const RUNNERS = new Set(['transaction', 'commitChange']);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * What holds a transaction waits for nothing else: it awaits only calls of its `tx`, or that get it. The
 * rest of the world may take as long as it likes, and locks are held meanwhile.
 */
export function transactionComplaints(tree: SourceTree): string[] {
  return programsOf(tree, (path) => isOfService(path) && !path.endsWith('.test.ts')).flatMap((file) =>
    file.program.nodes.flatMap(({ node, parent }) => {
      const tx = FUNCTIONS.has(node.type) ? txOf(node, parent) : null;
      return tx === null ? [] : complaintsOf(file, node, tx);
    }),
  );
}

/** The name of the parameter that holds the transaction; null: the function gets none. */
function txOf(node: Node, parent: Node | null): string | null {
  const parameters = node.params as readonly Node[];
  for (const parameter of parameters) {
    const type = typeNameOf(parameter);
    if (type !== null && TX_TYPES.has(type)) return nameOf(parameter);
  }
  const callee = parent?.type === 'CallExpression' ? parent.callee : null;
  const isWork =
    isNode(callee) &&
    RUNNERS.has(nameOf(callee.type === 'MemberExpression' ? callee.property : callee) ?? '');
  return isWork && parameters[0] !== undefined ? nameOf(parameters[0]) : null;
}

function typeNameOf(parameter: Node): string | null {
  const { typeAnnotation } = (parameter.typeAnnotation ?? {}) as { readonly typeAnnotation?: Node };
  return typeAnnotation?.type === 'TSTypeReference' ? nameOf(typeAnnotation.typeName) : null;
}

function complaintsOf({ path, program }: SourceFile, work: Node, tx: string): string[] {
  const { nodes, lineOf, sourceOf } = program;
  return nodes.flatMap(({ node }) => {
    if (node.start < work.start || node.end > work.end) return [];
    const at = `${path}:${lineOf(node)}`;
    if (node.type === 'ForOfStatement' && node.await === true)
      return [`${at} waits for something else while a transaction is held`];
    if (node.type !== 'AwaitExpression' || isOfTx(node.argument, tx)) return [];
    return [`${at} waits for something else while a transaction is held: ${sourceOf(node).slice(0, 60)}`];
  });
}

const WRAPPERS = new Set([
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'ChainExpression',
]);

function isOfTx(value: unknown, tx: string): boolean {
  if (!isNode(value)) return false;
  if (WRAPPERS.has(value.type)) return isOfTx(value.expression, tx);
  if (value.type === 'ConditionalExpression')
    return isOfTx(value.consequent, tx) && isOfTx(value.alternate, tx);
  if (value.type !== 'CallExpression') return false;
  const { callee } = value;
  if (isNode(callee) && callee.type === 'MemberExpression' && nameOf(callee.object) === tx) return true;
  return (value.arguments as readonly Node[]).some(
    (argument) =>
      nameOf(argument) === tx ||
      ((argument.properties ?? []) as readonly Node[]).some(
        (property) => property.type === 'SpreadElement' && nameOf(property.argument) === tx,
      ),
  );
}
