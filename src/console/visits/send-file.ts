import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Audit, AuditDetail, AuditEvent } from '../../audit/audit-event.ts';
import { patiently } from '../../platform/exports.ts';
import { HOME } from '../../platform/home.ts';
import type { Answer, AnswerStream } from '../../platform/http/endpoint.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type SheetCell, XLSX_TYPE } from '../../platform/workbooks/xlsx.ts';
import { xlsxStream } from '../../platform/workbooks/xlsx-stream.ts';
import { withoutCpfAndEmail } from '../../values/card-number-in-text.ts';
import { BYTE_ORDER_MARK, CSV_TYPE, type CsvCell, csvLine } from '../../values/csv.ts';
import { type AssetPaths, PAGE_HEADERS } from '../parts/layout.ts';
import type { Download, Sheet, SheetKind, Visit } from '../parts/screen.ts';
import { type Session, tokenHash } from '../users/session.ts';
import { isSessionOpen } from '../users/sessions.sql.ts';
import { actorName } from '../users/user.ts';

export type FileTools = { readonly database: Database; readonly audit: Audit };

/** A long file is audited before its first byte, and ends when the session does. HEAD sends no content. */
export async function sendFile(
  { database, audit }: FileTools,
  file: Download,
  session: Session,
  visit: Pick<Visit, 'path' | 'merchantId' | 'address'>,
  isHead: boolean,
): Promise<Answer> {
  const headers = { ...PAGE_HEADERS, 'content-disposition': `attachment; filename="${file.name}"` };
  if (!('sheet' in file)) {
    const { type, content } = file;
    return { status: 200, headers, text: { content, type } };
  }
  const { sheet, filters } = file;
  const stream = { ...file.stream, ...WRITTEN[sheet.kind](sheet) };
  if (isHead) return { status: 200, headers, stream };
  const exported: AuditEvent = {
    action: 'console.export',
    outcome: 'success',
    actor: actorName(session.user),
    origin: visit.address,
    resource: visit.path.replace('/console/', ''),
    detail: { ...exportedFilters(filters), file: file.name },
  };
  try {
    await audit.record(exported, visit.merchantId);
  } catch (error) {
    stream.close();
    throw error;
  }
  const isOpen = () => isSessionOpen(database, tokenHash(session.token));
  return { status: 200, headers, stream: { ...stream, pieces: piecesWhile(isOpen, stream.pieces) } };
}

/**
 * The filters of a file for the audit log, without CPF and e-mail, because an audit entry is never changed.
 */
function exportedFilters(filters: Extract<Download, { sheet: unknown }>['filters']): AuditDetail {
  const given = Object.entries(filters).filter((one): one is [string, string] => one[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, withoutCpfAndEmail(value)]));
}

/**
 * Passes the pieces on while the session is open. Throws if it has ended: a partial file must not look
 * complete.
 */
async function* piecesWhile(
  isOpen: () => Promise<boolean>,
  pieces: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  for await (const piece of pieces) {
    if (!(await patiently(isOpen))) throw new Error('the session of a download has ended');
    yield piece;
  }
}

const WRITTEN: Readonly<
  Record<SheetKind, (sheet: Sheet) => Pick<AnswerStream<string | Uint8Array>, 'type' | 'pieces'>>
> = {
  csv: (sheet) => ({ type: CSV_TYPE, pieces: csvOf(sheet) }),
  xlsx: ({ heads, rows }) => ({ type: XLSX_TYPE, pieces: xlsxStream(heads, rows) }),
};

async function* csvOf({ heads, rows, language }: Sheet): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(heads);
  for await (const some of rows)
    yield some.map((cells) => csvLine(cells.map((cell) => csvCellOf(cell, language)))).join('');
}

/** CSV cells have a decimal comma. Days are written as in the language. */
function csvCellOf(cell: SheetCell, language: Sheet['language']): CsvCell {
  if (typeof cell !== 'object' || cell === null) return cell;
  const { kind, text } = cell;
  if (kind === 'amount' || kind === 'portion') return text.replace('.', ',');
  const [day, time] = [text.slice(0, 10), text.slice(11)];
  const shown = language === 'pt' ? day.split('-').toReversed().join('/') : day;
  return kind === 'day' ? shown : `${shown} ${time}`;
}

type Asset = { readonly type: string; readonly content: Buffer };

/** Names contain a hash, so browsers may cache them. */
export type Assets = { readonly paths: AssetPaths; readonly byName: ReadonlyMap<string, Asset> };

const FILES = {
  style: { file: 'console.css', type: 'text/css; charset=utf-8' },
  script: { file: 'console.js', type: 'text/javascript; charset=utf-8' },
  icon: { file: 'icon.svg', type: 'image/svg+xml' },
} as const;

export function readAssets(): Assets {
  const read = ({ file, type }: (typeof FILES)[keyof typeof FILES]) => {
    const content = readFileSync(join(HOME, 'src/console/assets', file));
    const mark = createHash('sha256').update(content).digest('hex').slice(0, 16);
    return { name: file.replace('.', `-${mark}.`), type, content };
  };
  const [style, script, icon] = [read(FILES.style), read(FILES.script), read(FILES.icon)];
  const path = ({ name }: { readonly name: string }) => `/console/assets/${name}`;
  return {
    paths: { style: path(style), script: path(script), icon: path(icon) },
    byName: new Map([style, script, icon].map((asset) => [asset.name, asset])),
  };
}
