import { type Export, streamOf } from '../../platform/exports.ts';
import type { Answer } from '../../platform/http/endpoint.ts';
import { type Call, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { linesOf } from '../../platform/row-format.ts';
import { RECEIVABLE_REFUSALS } from '../period-contract.ts';
import type { Receivable } from '../receivables/receivable.ts';
import type { WantedReceivables } from '../receivables/receivables.sql.ts';
import {
  EXPORT_BY_PAYMENT,
  EXPORT_BY_SALE,
  EXPORT_REFUSALS,
  MOST_ROWS_AT_ONCE,
  readExportQuery,
  STREAMS,
  type StreamFormat,
} from './contract.ts';
import { type ReadExportTools, readExport } from './read-export.ts';

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

/** Null: more than fits into one piece. */
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
