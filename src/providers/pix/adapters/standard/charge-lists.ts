import { type Fields, fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import { cents, MAX_PAYMENT_CENTS } from '../../../../values/cents.ts';
import { parseOffsetText } from '../../../../values/instant.ts';
import type { ListedPix, ListedRefund, PixList, PixWindow, ReturnedPix } from '../../pix-bank.ts';
import { unknown } from './charge-answers.ts';
import type { PixDialect } from './dialect.ts';
import { centsOf, readReceipt } from './receipt.ts';
import { pagesOf, queryOf } from './receipt-pages.ts';
import { ALL_MERCHANTS, otherStatus, type StandardClient } from './standard-client.ts';

/** A page of up to a thousand charges, with their payers. */
const LARGEST_PAGE_BYTES = 8 * 1024 * 1024;

export function listCharges(
  client: StandardClient,
  dialect: PixDialect,
  window: PixWindow,
  isDue: boolean,
  timeout: number,
): Promise<PixList<ListedPix>> {
  const path = isDue ? '/cobv' : '/cob';
  return list(client, `${path}?${queryOf(window, dialect)}`, { template: path, name: 'cobs' }, window, {
    timeout,
    read: readListed,
  });
}

export function listReturned(
  client: StandardClient,
  dialect: PixDialect,
  window: PixWindow,
  timeout: number,
): Promise<PixList<ReturnedPix>> {
  const path = `/pix?${queryOf(window, dialect)}&devolucaoPresente=true`;
  return list(client, path, { template: '/pix', name: 'pix' }, window, { timeout, read: readReturned });
}

async function list<Item>(
  client: StandardClient,
  path: string,
  { template, name }: { readonly template: string; readonly name: string },
  { page }: PixWindow,
  { timeout, read }: { readonly timeout: number; readonly read: (item: unknown) => Item | null },
): Promise<PixList<Item>> {
  const answer = await client.read(ALL_MERCHANTS, { path, template }, timeout, LARGEST_PAGE_BYTES);
  if (answer.kind !== 'answer') return unknown(answer.reason, answer.cause);
  if (answer.status !== 200) return otherStatus(answer);
  const items = fieldsOf(answer.body)[name];
  const pages = pagesOf(answer.body);
  if (!Array.isArray(items)) return unknown('the answer has no list');
  if (pages === null) return unknown('the answer does not say how many pages there are');
  const found = items.map(read).filter((item): item is Item => item !== null);
  return { kind: 'listed', items: found, hasMore: page + 1 < pages };
}

function amountOf(value: unknown) {
  const amount = centsOf(value);
  return amount > 0 && amount <= MAX_PAYMENT_CENTS ? cents(amount) : null;
}

/** Null: no charge that could be ours. */
function readListed(item: unknown): ListedPix | null {
  const { txid, status, valor, calendario } = fieldsOf(item);
  const { criacao, expiracao } = fieldsOf(calendario);
  const createdAt = typeof criacao === 'string' ? parseOffsetText(criacao) : null;
  if (typeof txid !== 'string' || typeof status !== 'string' || createdAt === null) return null;
  const state = status.startsWith('REMOVIDA') ? 'removed' : status === 'CONCLUIDA' ? 'paid' : 'waiting';
  const expiresInSeconds = typeof expiracao === 'number' && expiracao > 0 ? expiracao : null;
  return { txid, state, amount: amountOf(fieldsOf(valor).original), createdAt, expiresInSeconds };
}

function readReturned(item: unknown): ReturnedPix | null {
  const receipt = readReceipt(item);
  if (receipt === null || 'reason' in receipt) return null;
  const { devolucoes } = fieldsOf(item);
  const refunds = (Array.isArray(devolucoes) ? devolucoes : []).map((one) => readListedRefund(fieldsOf(one)));
  return { receipt, refunds: refunds.filter((one): one is ListedRefund => one !== null) };
}

/** Null: nothing was given back by it. */
function readListedRefund({ id, valor, status, horario }: Fields): ListedRefund | null {
  const amount = amountOf(valor);
  const { solicitacao } = fieldsOf(horario);
  const requestedAt = typeof solicitacao === 'string' ? parseOffsetText(solicitacao) : null;
  if (typeof id !== 'string' || amount === null || requestedAt === null) return null;
  if (status !== 'DEVOLVIDO' && status !== 'EM_PROCESSAMENTO') return null;
  return { refundId: id, amount, state: status === 'DEVOLVIDO' ? 'refunded' : 'pending', requestedAt };
}
