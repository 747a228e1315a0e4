import { constantTextOf, isNode, type Node, type NodeInTree, nameOf, type Program } from './program.ts';

/** One module that a file brings in, by whatever of the forms of the language. */
export type Import = {
  readonly specifier: string;
  /** `import type`, `export type … from`, or all of its names marked `type`: gone when the program runs. */
  readonly isTypeOnly: boolean;
  /** Loaded while the program runs. */
  readonly isDynamic: boolean;
  /** The names of values; `*` for all of them. */
  readonly names: readonly string[];
  readonly line: number;
};

/** A dynamic import of something computed: it cannot be said what it loads. */
export const COMPUTED = '(computed)';

export function importsOf(program: Program): Import[] {
  return program.nodes.flatMap((place) => {
    const found = importAt(place);
    return found === null ? [] : [{ ...found, line: program.lineOf(place.node) }];
  });
}

function importAt({ node }: NodeInTree): Omit<Import, 'line'> | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return declared(node, node.importKind, namesOf(node, 'imported', 'importKind'));
    case 'ExportNamedDeclaration':
      return isNode(node.source)
        ? declared(node, node.exportKind, namesOf(node, 'local', 'exportKind'))
        : null;
    case 'ExportAllDeclaration':
      return declared(node, node.exportKind, { values: ['*'], hasTypes: false });
    case 'ImportExpression':
    case 'TSImportType':
      return loaded(node.source);
    case 'CallExpression': {
      const [argument] = node.arguments as unknown[];
      return nameOf(node.callee) === 'require' && constantTextOf(argument) !== null ? loaded(argument) : null;
    }
    default:
      return null;
  }
}

type Names = { readonly values: readonly string[]; readonly hasTypes: boolean };

function declared(node: Node, kind: unknown, { values, hasTypes }: Names): Omit<Import, 'line'> {
  const isTypeOnly = kind === 'type' || (values.length === 0 && hasTypes);
  const specifier = constantTextOf(node.source) ?? COMPUTED;
  return { specifier, isTypeOnly, isDynamic: false, names: isTypeOnly ? [] : values };
}

function loaded(source: unknown): Omit<Import, 'line'> {
  return { specifier: constantTextOf(source) ?? COMPUTED, isTypeOnly: false, isDynamic: true, names: ['*'] };
}

/** `import 'x'` runs all of it, so its names are `*`. */
function namesOf(node: Node, role: string, kind: string): Names {
  const specifiers = node.specifiers as Node[];
  if (specifiers.length === 0) return { values: ['*'], hasTypes: false };
  const values = specifiers.filter((one) => one[kind] !== 'type').map((one) => valueName(one, role));
  return { values, hasTypes: values.length < specifiers.length };
}

function valueName(specifier: Node, role: string): string {
  if (specifier.type === 'ImportDefaultSpecifier') return 'default';
  if (specifier.type === 'ImportNamespaceSpecifier') return '*';
  return nameOf(specifier[role]) ?? String((specifier[role] as Node).value);
}
