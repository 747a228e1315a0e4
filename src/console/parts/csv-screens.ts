import type { AnswerStream, Contract } from '../../platform/http/endpoint.ts';
import { type Cents, reaisText } from '../../values/cents.ts';
import { BYTE_ORDER_MARK, CSV_TYPE, csvLine } from '../../values/csv.ts';
import { type Column, errorsOf } from './page-parts.ts';
import { ALL_ROLES, type Asked, type Beside, type Screen, type Visit } from './screen.ts';

/** One CSV file for Brazilian spreadsheets, of any length. Shows a refusal in its words. */
export function csvScreen<Row, Tools = unknown>(
  declared: Pick<Screen<Tools>, 'path' | 'title'> & {
    readonly contract: (visit: Visit) => Contract;
    readonly query: (visit: Visit) => Readonly<Record<string, string | undefined>>;
    readonly name: (visit: Visit) => readonly string[];
    readonly columns: (visit: Visit) => readonly Column<Row>[];
    readonly fill?: Beside<Row, Tools>;
  },
): Screen<Tools> {
  const { contract, query, name, columns, fill, ...where } = declared;
  return {
    ...where,
    roles: ALL_ROLES,
    of: 'merchant',
    isFile: true,
    async show(visit, tools) {
      const filters = query(visit);
      const asked: Asked<unknown> = await visit.ask(contract(visit), {
        query: { ...filters, format: 'ndjson' },
      });
      if (!asked.ok) return errorsOf(asked.errors);
      const rows = asked.body as AnswerStream;
      const written = columns(visit).filter(({ csv }) => csv !== undefined);
      const head = csvLine(written.map(({ title }) => title));
      const lines = async (texts: readonly string[]) => {
        const found = texts.map((text) => JSON.parse(text) as Row);
        const whole = fill === undefined ? found : await fill(found, visit, tools);
        return whole.map((row) => csvLine(written.map(({ csv }) => csv?.(row)))).join('');
      };
      const stream = { ...rows, type: CSV_TYPE, pieces: csvOf(rows.pieces, head, lines) };
      return { name: `${['parcela', ...name(visit)].join('-')}.csv`, stream, filters };
    },
  };
}

async function* csvOf(
  pieces: AsyncIterable<string>,
  head: string,
  linesOf: (texts: readonly string[]) => Promise<string>,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + head;
  let rest = '';
  for await (const piece of pieces) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    if (texts.length > 0) yield await linesOf(texts);
  }
}

/** With a decimal comma. */
export function decimals(value: number | null, digits = 2): string | null {
  return value === null ? null : value.toFixed(digits).replace('.', ',');
}

/** Of cents, as Brazilians write them: `1234,56`. */
export function reaisCell(amount: number): string {
  return reaisText(amount as Cents).replace('.', ',');
}

/** Reformats the API's time of São Paulo for spreadsheets. */
export function momentCell(text: string): string {
  return text.slice(0, 19).replace('T', ' ');
}
