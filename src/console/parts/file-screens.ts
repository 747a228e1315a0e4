import type { AnswerStream, Contract } from '../../platform/http/endpoint.ts';
import type { SheetCell } from '../../platform/workbooks/xlsx.ts';
import { type Cents, reaisText } from '../../values/cents.ts';
import { type Html, html } from './html.ts';
import { type Column, errorsOf, link } from './page-parts.ts';
import { pathOf, withQuery } from './paths.ts';
import { type Asked, type Beside, OF_MERCHANT, type Screen, type SheetKind, type Visit } from './screen.ts';

/** Null and undefined: an empty cell. */
export type FileCell = SheetCell | undefined;

type Paths = Readonly<Record<SheetKind, string>>;
type Query = Readonly<Record<string, string | undefined>>;

/** A file of the same rows, however many, as CSV and as XLSX. If an endpoint refuses, a page shows why. */
export function fileScreens<Row, Tools = unknown>(declared: {
  readonly paths: Paths;
  readonly titles: Readonly<Record<SheetKind, string>>;
  readonly contract: (visit: Visit) => Contract;
  readonly query: (visit: Visit) => Query;
  /** Asked before the rows: if it refuses, there is no file. Null: nothing to ask. */
  readonly before?: (visit: Visit) => Promise<Asked<unknown>> | null;
  readonly name: (visit: Visit) => readonly string[];
  readonly columns: (visit: Visit) => readonly Column<Row>[];
  readonly fill: Beside<Row, Tools>;
}): Screen<Tools>[] {
  const { paths, titles, contract, query, before, name, columns, fill } = declared;
  const screenOf = (kind: SheetKind): Screen<Tools> => ({
    path: paths[kind],
    title: titles[kind],
    ...OF_MERCHANT,
    isFile: true,
    async show(visit, tools) {
      const filters = query(visit);
      const ready = (await before?.(visit)) ?? null;
      if (ready?.ok === false) return errorsOf(ready.errors);
      const asked: Asked<unknown> = await visit.ask(contract(visit), {
        query: { ...filters, format: 'ndjson' },
      });
      if (!asked.ok) return errorsOf(asked.errors);
      const stream = asked.body as AnswerStream;
      const written = columns(visit).filter(({ file }) => file !== undefined);
      async function* rows() {
        for await (const texts of linesOf(stream.pieces)) {
          const found = texts.map((text) => JSON.parse(text) as Row);
          const whole = await fill(found, visit, tools);
          yield whole.map((row) => written.map(({ file }) => file?.(row) ?? null));
        }
      }
      const heads = written.map(({ title }) => title);
      const sheet = { kind, heads, rows: rows(), language: visit.wording.language };
      return { name: `${['parcela', ...name(visit)].join('-')}.${kind}`, sheet, stream, filters };
    },
  });
  return [screenOf('csv'), screenOf('xlsx')];
}

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

/** A cell for an amount in cents. */
export function reaisCell(amount: number | null | undefined): FileCell {
  return amount === null || amount === undefined
    ? null
    : { kind: 'amount', text: reaisText(amount as Cents) };
}

/** A cell for an amount in reais, as the API writes it. */
export function amountCell(value: number | null): FileCell {
  return value === null ? null : { kind: 'amount', text: value.toFixed(2) };
}

/** A cell for a percentage, with four decimals. */
export function portionCell(value: number): FileCell {
  return { kind: 'portion', text: value.toFixed(4) };
}

/** A cell for a time as the API writes it. The zone, which is São Paulo's, is cut off. */
export function momentCell(text: string): FileCell {
  return { kind: 'moment', text: text.slice(0, 19) };
}

export function dayCell(day: string | null | undefined): FileCell {
  return day === null || day === undefined ? null : { kind: 'day', text: day };
}
