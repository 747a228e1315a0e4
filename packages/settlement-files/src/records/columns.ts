import type { Sentence } from '../sentence.ts';
import { columnTooLong, moreColumns } from './faults.ts';
import { type CodeTable, type FieldKind, type RecordLayout, recordLayout } from './fixed-width.ts';

/** Name, most characters, kind, meaning. */
type Column = readonly [name: string, most: number, kind: FieldKind, meaning: string];

type FieldsOf<C extends readonly Column[]> = {
  readonly [I in keyof C]: readonly [C[I][0], number, number, C[I][2], string];
};

const SEPARATOR = ',';

/** A record whose columns are separated by commas. Its positions are those of a line with full columns. */
export function columnLayout<const C extends readonly Column[]>(
  type: string,
  title: string,
  use: string,
  columns: C,
  codes: Readonly<Record<string, CodeTable>> = {},
): RecordLayout<FieldsOf<C>> {
  let next = 1;
  const fields = columns.map(([name, most, kind, meaning]) => {
    const from = next;
    next += most + SEPARATOR.length;
    return [name, from, from + most - 1, kind, meaning] as const;
  });
  const layout = { ...recordLayout(type, title, use, fields, codes), isSeparated: true };
  return layout as unknown as RecordLayout<FieldsOf<C>>;
}

const NUMBERS = /^(?:digits|count|cents|day|time)/;

/**
 * The line with full columns: zeros before numbers, blanks behind texts. A line whose commas stand where they
 * stand then is taken as it is, whatever commas its texts have.
 */
export function fullColumns(
  line: string,
  { type, fields }: RecordLayout,
): string | { readonly field: string | null; readonly sentence: Sentence } {
  const isFull = fields.every(([, from, to, kind]) => {
    const isWhole = to < line.length;
    const mayHaveCommas = isWhole && kind.startsWith('text');
    return (
      (!isWhole || line[to] === SEPARATOR) && (mayHaveCommas || !line.slice(from - 1, to).includes(SEPARATOR))
    );
  });
  if (isFull) return line;
  const columns = line.split(SEPARATOR);
  while (columns.length > fields.length && columns.at(-1)?.trim() === '') columns.pop();
  if (columns.length > fields.length) return { field: null, sentence: moreColumns(type, fields.length) };
  const full: string[] = [];
  for (const [index, [name, from, to, kind]] of fields.entries()) {
    const column = columns[index];
    if (column === undefined) break;
    const width = to - from + 1;
    const text = column.length > width ? column.trim() : column;
    if (text.length > width) return { field: name, sentence: columnTooLong(name, index + 1, width) };
    const isNumber = NUMBERS.test(kind) && text.trim() !== '';
    full.push(isNumber ? text.trim().padStart(width, '0') : text.padEnd(width));
  }
  return full.join(SEPARATOR);
}
