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

type Full = string | { readonly field: string | null; readonly sentence: Sentence };

/** For the lines of one file: its first one, whose last column is never blank, tells how they end. */
export function columnReader(): (line: string, layout: RecordLayout) => Full {
  let ended: { readonly columns: number; readonly blank: number } | null = null;
  return (line, layout) => {
    ended ??= {
      columns: line.split(SEPARATOR).length,
      blank: (/[, ]*$/.exec(line)?.[0].split(SEPARATOR).length ?? 1) - 1,
    };
    return fullColumns(line, layout, ended);
  };
}

/**
 * The line with full columns: zeros before numbers, blanks behind texts. A line whose commas stand where they
 * stand then is taken as it is, whatever commas its texts have. Blank columns behind its own are those that
 * end the first line, or fill it up to as many columns: more of them come from a comma in a text.
 */
function fullColumns(
  line: string,
  { type, fields }: RecordLayout,
  ended: { readonly columns: number; readonly blank: number },
): Full {
  const isFull = fields.every(([, from, to, kind]) => {
    const isWhole = to < line.length;
    const mayHaveCommas = isWhole && kind.startsWith('text');
    return (
      (!isWhole || line[to] === SEPARATOR) && (mayHaveCommas || !line.slice(from - 1, to).includes(SEPARATOR))
    );
  });
  if (isFull) return line;
  const columns = line.split(SEPARATOR);
  const more = columns.splice(
    columns.length === ended.columns || columns.length === fields.length + ended.blank
      ? fields.length
      : columns.length,
  );
  if (columns.length > fields.length || more.some((one) => one.trim() !== ''))
    return { field: null, sentence: moreColumns(type, fields.length) };
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
