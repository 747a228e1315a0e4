import type { AnswerStream, Contract } from '../../platform/http/endpoint.ts';
import { BYTE_ORDER_MARK, CSV_TYPE, csvLine } from '../../values/csv.ts';
import type { Asked } from './asked.ts';
import type { CsvColumn } from './csv-cells.ts';
import { errorsOf } from './page-parts.ts';
import { ALL_ROLES, type Screen, type Visit } from './screen.ts';

/**
 * All that an endpoint streams, however much it is, saved as one file as spreadsheets in Brazil read it;
 * what it refuses is shown in its words.
 */
export function csvScreen<Row>(
  declared: Pick<Screen<unknown>, 'path' | 'title'> & {
    readonly contract: (visit: Visit) => Contract;
    readonly query: (visit: Visit) => Readonly<Record<string, string | undefined>>;
    /** What the file is called, in parts. */
    readonly name: (visit: Visit) => readonly string[];
    readonly columns: readonly CsvColumn<Row>[];
  },
): Screen<unknown> {
  const { contract, query, name, columns, ...where } = declared;
  return {
    ...where,
    roles: ALL_ROLES,
    of: 'merchant',
    isFile: true,
    async show(visit) {
      const filters = query(visit);
      const asked: Asked<unknown> = await visit.ask(contract(visit), {
        query: { ...filters, format: 'ndjson' },
      });
      if (!asked.ok) return errorsOf(asked.errors);
      const rows = asked.body as AnswerStream;
      const head = csvLine(columns.map(([text]) => visit.wording.say(text)));
      const line = (text: string) => {
        const row = JSON.parse(text) as Row;
        return csvLine(columns.map(([, cell]) => cell(row)));
      };
      const stream = { ...rows, type: CSV_TYPE, pieces: csvOf(rows.pieces, head, line) };
      return { name: `${['parcela', ...name(visit)].join('-')}.csv`, stream, filters };
    },
  };
}

async function* csvOf(
  pieces: AsyncIterable<string>,
  head: string,
  lineOf: (text: string) => string,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + head;
  let rest = '';
  for await (const piece of pieces) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    yield texts.map(lineOf).join('');
  }
}
