import { isNode, nameOf } from './program.ts';
import { type Complaint, isOfService, isTest, programsOf, type SourceTree } from './source-tree.ts';

/**
 * A column of a row that is believed to be of a type. Rows are read by `rowCodec`, which throws where the
 * column holds something else: a state that this version does not know is not passed on.
 */
export function rowCastComplaints(tree: SourceTree): Complaint[] {
  return programsOf(tree, (path) => isOfService(path) && !isTest(path)).flatMap(({ path, program }) =>
    program.nodes.flatMap(({ node }) =>
      node.type === 'TSAsExpression' && isColumn(node.expression)
        ? [`${path}:${program.lineOf(node)}: ${program.sourceOf(node)} believes what a row holds`]
        : [],
    ),
  );
}

/** `row.state`, `row?.state`, `found.billing_state`: names with underscores are PostgreSQL's. */
function isColumn(value: unknown): boolean {
  if (!isNode(value)) return false;
  if (value.type === 'ChainExpression' || value.type === 'TSNonNullExpression')
    return isColumn(value.expression);
  if (value.type !== 'MemberExpression' || value.computed === true) return false;
  return nameOf(value.object) === 'row' || /[a-z]_[a-z]/.test(nameOf(value.property) ?? '');
}
