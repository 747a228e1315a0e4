import type { Answer } from '../../platform/http/endpoint.ts';
import { type Call, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { RECEIVABLE_REFUSALS } from '../period-contract.ts';
import type { Receivable } from '../receivables/receivable.ts';
import type { WantedReceivables } from '../receivables/receivables.sql.ts';
import {
  EXPORT_BY_PAYMENT,
  EXPORT_BY_SALE,
  EXPORT_REFUSALS,
  readExportQuery,
  STREAMS,
  type StreamFormat,
} from './contract.ts';
import { type Export, MOST_ROWS_AT_ONCE } from './export.ts';
import { type ReadExportTools, readExport } from './read-export.ts';

export type ExportTools = ReadExportTools & {
  /** Aborted: the service stops, and streams break off. */
  readonly stopping: AbortSignal;
};

const RETRY = { 'retry-after': RETRY_AFTER_SECONDS };

export const EXPORT_ENDPOINTS: readonly Endpoint<ExportTools>[] = [
  endpoint(EXPORT_BY_SALE, (tools: ExportTools, call) =>
    answerExport(tools, call, readExportQuery('sale', call.query), call.query.format),
  ),
  endpoint(EXPORT_BY_PAYMENT, (tools: ExportTools, call) =>
    answerExport(tools, call, readExportQuery('payment', call.query), call.query.format),
  ),
];

async function answerExport(
  tools: ExportTools,
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'language' | 'wantsCsv'>,
  wanted: WantedReceivables,
  asked: StreamFormat | undefined,
): Promise<Answer> {
  const format = asked ?? (call.wantsCsv ? 'csv-stream' : null);
  const found = await readExport(tools, callerOf(call).merchantId, wanted);
  if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
  if (typeof found === 'string') return refusalAnswer(RECEIVABLE_REFUSALS[found], call.language, RETRY);
  if (format !== null) {
    const { type } = STREAMS[format];
    const pieces = piecesOf(found, format);
    return { status: 200, stream: { type, pieces, signal: tools.stopping, close: found.close } };
  }
  try {
    const text = await wholeText(found);
    if (text === null) return refusalAnswer(EXPORT_REFUSALS.tooManyRows, call.language);
    return { status: 200, body: { fileBase64: Buffer.from(text).toString('base64') } };
  } finally {
    found.close();
  }
}

async function* piecesOf({ pages }: Export, format: StreamFormat): AsyncGenerator<string> {
  const { head, line } = STREAMS[format];
  if (head !== '') yield head;
  for await (const page of pages) yield linesOf(page, line);
}

/** Null: more than fits into one piece. */
async function wholeText({ pages }: Export): Promise<string | null> {
  const { head, line } = STREAMS['csv-stream'];
  let [text, rows] = [head, 0];
  for await (const page of pages) {
    rows += page.length;
    if (rows > MOST_ROWS_AT_ONCE) return null;
    text += linesOf(page, line);
  }
  return text;
}

function linesOf(page: readonly Receivable[], line: (receivable: Receivable) => string): string {
  return page.map(line).join('');
}
