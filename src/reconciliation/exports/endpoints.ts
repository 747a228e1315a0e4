import { type Static, Type } from 'typebox';
import { hasAccount } from '../../merchants/merchants.sql.ts';
import { type Export, streamOf } from '../../platform/exports.ts';
import {
  type Answer,
  type Call,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { type RefusalShape, refusal, refusalAnswer } from '../../platform/http/refusal.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { linesOf, type RowFormat } from '../../platform/row-format.ts';
import { CSV_TYPE } from '../../values/csv.ts';
import { type Day, reachedFrom, startOfSaoPauloDay } from '../../values/instant.ts';
import { ACCOUNT, dayField, MOST_DAYS, periodCheck, RECEIVABLE_REFUSALS } from '../period-contract.ts';
import {
  CSV_HEAD,
  OF_RECONCILIATION,
  RECEIVABLE_SAMPLE,
  writeReceivable,
  writeReceivableLine,
} from '../receivables/endpoints.ts';
import type { Follower } from '../receivables/open-follower.ts';
import type { Receivable } from '../receivables/receivable.ts';
import {
  type ListedReceivable,
  listReceivables,
  type ReceivableOrder,
  type WantedReceivables,
} from '../receivables/receivables.sql.ts';

type ReadExportTools = Pick<Follower, 'isUpToDate'> & Pick<ModuleContext, 'lookUp' | 'openExport'>;

export type ExportRefusal = 'receivablesBehind';

/** null: no such account. Throws `Overloaded` if no slot is free. */
async function readExport(
  { lookUp, isUpToDate, openExport }: ReadExportTools,
  merchantId: string,
  wanted: WantedReceivables,
): Promise<Export<ListedReceivable> | ExportRefusal | null> {
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return null;
  if (!(await isUpToDate(merchantId))) return 'receivablesBehind';
  return openExport<ListedReceivable>(merchantId, [
    (database, after, limit) => listReceivables(database, merchantId, wanted, after?.place ?? null, limit),
  ]);
}

const STREAM_FORMATS = ['ndjson', 'csv-stream'] as const;
type StreamFormat = (typeof STREAM_FORMATS)[number];

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

/** Some megabytes. */
const MOST_ROWS_AT_ONCE = 10_000;
const ROWS = MOST_ROWS_AT_ONCE.toLocaleString('en');
const LINHAS = MOST_ROWS_AT_ONCE.toLocaleString('pt-BR');

export const EXPORT_REFUSALS = {
  tooManyRows: refusal(400, 'format', {
    pt: `São mais de ${LINHAS} parcelas: peça com format=csv-stream ou format=ndjson, ou restrinja o período.`,
    en: `More than ${ROWS} installments: ask with format=csv-stream or format=ndjson, or narrow the period.`,
  }),
} as const satisfies Record<string, RefusalShape>;

const CSV_SAMPLE = CSV_HEAD + writeReceivableLine(RECEIVABLE_SAMPLE);

const NDJSON_SAMPLE = `${JSON.stringify(writeReceivable(RECEIVABLE_SAMPLE))}\n`;

const STREAMED =
  ` At most ${MOST_DAYS} days, with format ten years, and ${ROWS} installments in one piece; with format, or with \`Accept: text/csv\`, any number. A stream shows ` +
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
        schema: named('ExportedFile', {
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

function readExportQuery(
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
    soldBefore: startOfSaoPauloDay(reachedFrom(to, 1)),
  };
}

const STREAMS = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (receivable: Receivable) => `${JSON.stringify(writeReceivable(receivable))}\n`,
  },
  'csv-stream': { type: CSV_TYPE, head: CSV_HEAD, line: writeReceivableLine },
} as const satisfies Record<StreamFormat, RowFormat<Receivable>>;

const RETRY = { 'retry-after': RETRY_AFTER_SECONDS };

export const EXPORT_ENDPOINTS: readonly Endpoint<ReadExportTools>[] = [
  endpoint(EXPORT_BY_SALE, (tools: ReadExportTools, call) =>
    answerExport(tools, call, readExportQuery('sale', call.query), call.query.format),
  ),
  endpoint(EXPORT_BY_PAYMENT, (tools: ReadExportTools, call) =>
    answerExport(tools, call, readExportQuery('payment', call.query), call.query.format),
  ),
];

async function answerExport(
  tools: ReadExportTools,
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'language' | 'wantsCsv'>,
  wanted: WantedReceivables,
  asked: StreamFormat | undefined,
): Promise<Answer> {
  const format = asked ?? (call.wantsCsv ? 'csv-stream' : null);
  const found = await readExport(tools, callerOf(call).merchantId, wanted);
  if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
  if (typeof found === 'string') return refusalAnswer(RECEIVABLE_REFUSALS[found], call.language, RETRY);
  if (format !== null) return { status: 200, stream: streamOf<Receivable>(found, STREAMS[format]) };
  try {
    const text = await wholeText(found);
    if (text === null) return refusalAnswer(EXPORT_REFUSALS.tooManyRows, call.language);
    return { status: 200, body: { fileBase64: Buffer.from(text).toString('base64') } };
  } finally {
    found.close();
  }
}

async function wholeText({ pages }: Export<Receivable>): Promise<string | null> {
  const { head, line } = STREAMS['csv-stream'];
  let [text, rows] = [head, 0];
  for await (const page of pages) {
    rows += page.length;
    if (rows > MOST_ROWS_AT_ONCE) return null;
    text += linesOf(page, line);
  }
  return text;
}
