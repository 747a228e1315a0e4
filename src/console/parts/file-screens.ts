import { patiently } from '../../platform/exports.ts';
import type { AnswerStream, Contract } from '../../platform/http/endpoint.ts';
import { xlsxStream } from '../../platform/xlsx-stream.ts';
import type { Cents } from '../../values/cents.ts';
import { reaisText } from '../../values/cents.ts';
import { BYTE_ORDER_MARK, CSV_TYPE, type CsvCell, csvLine } from '../../values/csv.ts';
import { type SheetCell, XLSX_TYPE } from '../../values/xlsx.ts';
import { type Html, html } from './html.ts';
import { type Column, errorsOf, link } from './page-parts.ts';
import { pathOf, withQuery } from './paths.ts';
import { ALL_ROLES, type Asked, type Beside, type Screen, type Visit } from './screen.ts';
import type { Wording } from './wording.ts';

/** Null and undefined: an empty cell. */
export type FileCell = SheetCell | undefined;

type Paths = { readonly csv: string; readonly xlsx: string };
type Query = Readonly<Record<string, string | undefined>>;

type Written = {
  readonly type: string;
  readonly write: (
    heads: readonly string[],
    rows: AsyncIterable<readonly (readonly FileCell[])[]>,
    wording: Wording,
  ) => AsyncIterable<string | Uint8Array>;
};

const KINDS: Readonly<Record<keyof Paths, Written>> = {
  csv: { type: CSV_TYPE, write: csvOf },
  xlsx: { type: XLSX_TYPE, write: xlsxOf },
};

/** The same rows of any number as CSV and as XLSX, for Brazilian spreadsheets. Shows a refusal in its words. */
export function fileScreens<Row, Tools = unknown>(declared: {
  readonly paths: Paths;
  readonly titles: { readonly [Kind in keyof Paths]: string };
  readonly contract: (visit: Visit) => Contract;
  readonly query: (visit: Visit) => Query;
  readonly name: (visit: Visit) => readonly string[];
  readonly columns: (visit: Visit) => readonly Column<Row>[];
  readonly fill?: Beside<Row, Tools>;
}): Screen<Tools>[] {
  const { paths, titles, contract, query, name, columns, fill } = declared;
  const screenOf = (kind: keyof Paths): Screen<Tools> => ({
    path: paths[kind],
    title: titles[kind],
    roles: ALL_ROLES,
    of: 'merchant',
    isFile: true,
    async show(visit, tools) {
      const filters = query(visit);
      const asked: Asked<unknown> = await visit.ask(contract(visit), {
        query: { ...filters, format: 'ndjson' },
      });
      if (!asked.ok) return errorsOf(asked.errors);
      const lines = asked.body as AnswerStream;
      const written = columns(visit).filter(({ file }) => file !== undefined);
      async function* rows() {
        for await (const texts of linesOf(lines.pieces)) {
          const found = texts.map((text) => JSON.parse(text) as Row);
          const whole = fill === undefined ? found : await patiently(() => fill(found, visit, tools));
          yield whole.map((row) => written.map(({ file }) => file?.(row)));
        }
      }
      const { type, write } = KINDS[kind];
      const heads = written.map(({ title }) => title);
      const stream = { ...lines, type, pieces: write(heads, rows(), visit.wording) };
      return { name: `${['parcela', ...name(visit)].join('-')}.${kind}`, stream, filters };
    },
  });
  return [screenOf('csv'), screenOf('xlsx')];
}

/** To both files. */
export function fileLinks({ csv, xlsx }: Paths, query: Query, what: string, { merchantId }: Visit): Html {
  const to = (path: string, kind: string) =>
    link(withQuery(pathOf(path, { merchantId }), query), html`${what} (${kind})`);
  return html`${to(xlsx, 'XLSX')} ${to(csv, 'CSV')}`;
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const piece of pieces) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    if (texts.length > 0) yield texts;
  }
}

async function* csvOf(
  heads: readonly string[],
  rows: AsyncIterable<readonly (readonly FileCell[])[]>,
  { language }: Wording,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(heads);
  for await (const some of rows)
    yield some.map((cells) => csvLine(cells.map((cell) => csvCellOf(cell, language)))).join('');
}

/** With a decimal comma; days as the language writes them. */
function csvCellOf(cell: FileCell, language: Wording['language']): CsvCell {
  if (typeof cell !== 'object' || cell === null) return cell;
  const { kind, text } = cell;
  if (kind === 'amount' || kind === 'portion') return text.replace('.', ',');
  const [day, time = ''] = [text.slice(0, 10), text.slice(11, 19)];
  const shown = language === 'pt' ? day.split('-').toReversed().join('/') : day;
  return kind === 'day' ? shown : `${shown} ${time}`;
}

function xlsxOf(
  heads: readonly string[],
  rows: AsyncIterable<readonly (readonly FileCell[])[]>,
): AsyncIterable<Uint8Array> {
  async function* cells() {
    for await (const some of rows) yield some.map((row) => row.map((cell) => cell ?? null));
  }
  return xlsxStream(heads, cells());
}

/** Of cents. */
export function reaisCell(amount: number | null | undefined): FileCell {
  return amount === null || amount === undefined
    ? null
    : { kind: 'amount', text: reaisText(amount as Cents) };
}

/** Of reais as the API writes them. */
export function amountCell(value: number | null): FileCell {
  return value === null ? null : { kind: 'amount', text: value.toFixed(2) };
}

/** Of percent, exact. */
export function portionCell(value: number): FileCell {
  return { kind: 'portion', text: value.toFixed(4) };
}

/** The API's time of São Paulo. */
export function momentCell(text: string): FileCell {
  return { kind: 'moment', text: text.slice(0, 19) };
}

export function dayCell(day: string | null | undefined): FileCell {
  return day === null || day === undefined ? null : { kind: 'day', text: day };
}
