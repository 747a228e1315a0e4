import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { RowFormat } from '../../platform/row-format.ts';
import { CSV_TYPE } from '../../values/csv.ts';
import { addDays, type Day, startOfSaoPauloDay } from '../../values/instant.ts';
import { ACCOUNT, dayField, MOST_DAYS, periodCheck } from '../period-contract.ts';
import {
  CSV_HEAD,
  OF_RECONCILIATION,
  RECEIVABLE_SAMPLE,
  writeReceivable,
  writeReceivableLine,
} from '../receivables/contract.ts';
import type { Receivable } from '../receivables/receivable.ts';
import type { ReceivableOrder, WantedReceivables } from '../receivables/receivables.sql.ts';

export const STREAM_FORMATS = ['ndjson', 'csv-stream'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

const QUERY = Type.Object({
  accountNumber: ACCOUNT,
  startDate: dayField('First day, YYYY-MM-DD in São Paulo.'),
  endDate: dayField('Last day, included.'),
  format: Type.Optional(
    Type.Enum([...STREAM_FORMATS], {
      description:
        'A stream of any length: a JSON object a line, or CSV. Absent: CSV in base64, in one piece.',
    }),
  ),
});

/** Of an export in one piece: some megabytes. */
export const MOST_ROWS_AT_ONCE = 10_000;
const ROWS = MOST_ROWS_AT_ONCE.toLocaleString('en');
const LINHAS = MOST_ROWS_AT_ONCE.toLocaleString('pt-BR');

export const EXPORT_REFUSALS = {
  tooManyRows: {
    status: 400,
    tag: 'format',
    sentence: {
      pt: `São mais de ${LINHAS} parcelas: peça com format=csv-stream ou format=ndjson, ou restrinja o período.`,
      en: `More than ${ROWS} installments: ask with format=csv-stream or format=ndjson, or narrow the period.`,
    },
  },
} as const satisfies Record<string, RefusalShape>;

const CSV_SAMPLE = CSV_HEAD + writeReceivableLine(RECEIVABLE_SAMPLE);

const NDJSON_SAMPLE = `${JSON.stringify(writeReceivable(RECEIVABLE_SAMPLE))}\n`;

const STREAMED =
  ` At most ${MOST_DAYS} days, and ${ROWS} installments in one piece; with format, or with \`Accept: text/csv\`, any number. A stream shows ` +
  'each installment as it stands when it is read, and one that lacks its end broke off: ask again.';

const exportOf = (id: string, path: string, summary: string, description: string) =>
  contract({
    ...OF_RECONCILIATION,
    id,
    method: 'GET',
    path,
    summary,
    description: description + STREAMED,
    query: QUERY,
    checkQuery: periodCheck('startDate', 'endDate'),
    answers: {
      200: {
        description: 'The columns are those of the search by code, under their names.',
        schema: Type.Object({
          fileBase64: Type.String({
            description: 'CSV in UTF-8, with semicolons and decimal commas, in base64.',
          }),
        }),
        example: { fileBase64: 'dHJhbnNhY3Rpb25EYXRlO3Rlcm1pbmFsDQo=' },
        csvExample: CSV_SAMPLE,
        ndjsonExample: NDJSON_SAMPLE,
      },
    },
  });

export const EXPORT_BY_SALE = exportOf(
  'exportReceivablesBySale',
  '/api/transaction/concil/export-by-operation-date',
  'Export what was sold',
  'Every installment of what was sold on these days, in the order of the sales.',
);

export const EXPORT_BY_PAYMENT = exportOf(
  'exportReceivablesByPayment',
  '/api/transaction/concil/export-by-payment-date',
  'Export what came or will come',
  'Every installment whose money came on these days, or is expected on them and has not come.',
);

/** The last day of the calendar has no next one. */
const LAST_DAY = '9999-12-31';

export function readExportQuery(
  order: ReceivableOrder,
  { accountNumber, startDate, endDate }: Static<typeof QUERY>,
): WantedReceivables {
  const [from, to] = [startDate as Day, endDate as Day];
  return {
    order,
    accountNumber,
    from,
    to,
    soldFrom: startOfSaoPauloDay(from),
    soldBefore: startOfSaoPauloDay(to === LAST_DAY ? to : addDays(to, 1)),
  };
}

export const STREAMS = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (receivable: Receivable) => `${JSON.stringify(writeReceivable(receivable))}\n`,
  },
  'csv-stream': { type: CSV_TYPE, head: CSV_HEAD, line: writeReceivableLine },
} as const satisfies Record<StreamFormat, RowFormat<Receivable>>;
