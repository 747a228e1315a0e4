import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import type { FeedRequest, UnreadableItem } from '../../../../platform/feeds/feed.ts';
import { type Instant, instant, parseUtcText, utcText } from '../../../../values/instant.ts';
import {
  LONGEST_PIX_WINDOW_DAYS,
  PIX_RETURN_DAYS,
  type PixReceipt,
  type PixReceiptsAnswer,
  type PixWindow,
} from '../../pix-bank.ts';
import { unknown } from './charge-answers.ts';
import type { PixDialect } from './dialect.ts';
import { readReceipt, readReturns } from './receipt.ts';

/** Before the first cursor: charges begin when their bank was named. */
const FIRST_WINDOW_MILLISECONDS = 86_400_000;
const LONGEST_WINDOW_MILLISECONDS = LONGEST_PIX_WINDOW_DAYS * 86_400_000;

/** A cursor is the end of what was read, or the window and the page that come next. */
export function windowOf(
  { cursor, until }: Pick<FeedRequest, 'cursor' | 'until'>,
  { overlapMilliseconds }: Pick<PixDialect, 'overlapMilliseconds'>,
): PixWindow {
  const [first = '', second = '', page = ''] = (cursor ?? '').split('|');
  const [from, to] = [parseUtcText(first), parseUtcText(second)];
  if (from !== null && to !== null && /^\d{1,6}$/.test(page)) return { from, to, page: Number(page) };
  // A cursor of a clock that was ahead is of now: the bank told nothing of later.
  const start =
    from === null ? until - FIRST_WINDOW_MILLISECONDS : Math.min(from, until) - overlapMilliseconds;
  const end = Math.max(start, Math.min(until, start + LONGEST_WINDOW_MILLISECONDS));
  return { from: instant(start), to: instant(end), page: 0 };
}

function cursorBehind({ from, to, page }: PixWindow, pages: number): string {
  return page + 1 < pages ? `${utcText(from)}|${utcText(to)}|${page + 1}` : utcText(to);
}

/** Marks the end of a round in the cursor. */
const ROUND_OVER = 'over';

/** A window of the current round. A round goes over the last 90 days; then the next one begins. */
export function windowOfReturns({ cursor, until }: Pick<FeedRequest, 'cursor' | 'until'>): PixWindow {
  const begun = cursor === null || cursor === ROUND_OVER ? null : cursor;
  const first = instant(until - PIX_RETURN_DAYS * 86_400_000);
  return windowOf({ cursor: begun ?? utcText(first), until }, { overlapMilliseconds: 0 });
}

/** The answer to a question of such a window. */
export function endOfRound(answer: PixReceiptsAnswer): PixReceiptsAnswer {
  return answer.kind === 'changes' && !answer.hasMore ? { ...answer, cursor: ROUND_OVER } : answer;
}

export function queryOf(
  { from, to, page }: PixWindow,
  { pageSize }: Pick<PixDialect, 'pageSize'>,
  filters: Readonly<Record<string, string>> = {},
): string {
  return new URLSearchParams({
    ...filters,
    inicio: utcText(from),
    fim: utcText(to),
    'paginacao.paginaAtual': String(page),
    'paginacao.itensPorPagina': String(pageSize),
  }).toString();
}

/** Null: the answer does not say it. */
export function pagesOf(body: unknown): number | null {
  const { quantidadeDePaginas: pages = 1 } = fieldsOf(fieldsOf(fieldsOf(body).parametros).paginacao);
  return typeof pages === 'number' && Number.isSafeInteger(pages) && pages >= 0 ? pages : null;
}

/** `until` tells whether a window that ends before it has more behind. */
export function readReceipts(body: unknown, window: PixWindow, until: Instant): PixReceiptsAnswer {
  const { pix } = fieldsOf(body);
  if (!Array.isArray(pix)) return unknown('the answer has no list of Pix');
  const pages = pagesOf(body);
  if (pages === null) return unknown('the answer does not say how many pages there are');
  const changes: PixReceipt[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const item of pix) {
    const read = readReceipt(item);
    if (read === null) continue;
    if ('reason' in read) unreadable.push(read);
    else changes.push(read, ...readReturns(item, read));
  }
  const hasMore = window.page + 1 < pages || window.to < until;
  const news = { changes, unreadable, hasNews: changes.length + unreadable.length > 0 };
  return { kind: 'changes', ...news, cursor: cursorBehind(window, pages), hasMore };
}
