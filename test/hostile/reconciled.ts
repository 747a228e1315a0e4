import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { call } from '../kit/merchant.ts';
import { unexpectedPayment } from './billed.ts';
import type { Shop } from './hostile-service.ts';
import { knownPayment } from './sold.ts';

/** Nothing is percent-encoded yet. */
export type Ingredients = {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another than the shop's, which others use. */
  readonly token?: string;
};

export type Recipe = (shop: Shop) => Promise<Ingredients>;

export const today = (): string => saoPauloDay(instant(Date.now()));

const exportToday: Recipe = async (shop) => {
  await knownPayment(shop);
  return { query: { accountNumber: shop.accountNumber, startDate: today(), endDate: today() } };
};

const streamToday: Recipe = async (shop) => {
  const { query } = await exportToday(shop);
  return { query: { ...query, format: 'ndjson' } };
};

export const webhookOf = ({ listenerUrl }: Shop) => ({
  url: `${listenerUrl}/notificacoes`,
  basicAuth: 'bG9qYTpzZW5oYS1kYS1sb2ph',
});

export async function registerExceptionNotifier(shop: Shop, accountNumber: string): Promise<void> {
  const { url, tokens } = shop;
  const path = `/api/reconciliation/notifier?accountNumber=${accountNumber}`;
  const body = { callbackUrl: webhookOf(shop).url };
  const reply = await call(url, path, { token: tokens.integration, body });
  if (reply.status !== 200) throw new Error(`the notifier was answered ${reply.status}: ${reply.text}`);
}

const notifiedAccount: Recipe = async (shop) => {
  const accountNumber = shop.nextAccount();
  await registerExceptionNotifier(shop, accountNumber);
  return { query: { accountNumber } };
};

/** What reconciliation is asked for. */
export const RECONCILED = {
  searchReceivablesByCode: [
    async (shop) => {
      const { nsu, authorizationCode: codAuth } = await knownPayment(shop);
      return { query: { accountNumber: shop.accountNumber }, body: { nsu, codAuth } };
    },
  ],
  exportReceivablesBySale: [streamToday, exportToday],
  exportReceivablesByPayment: [streamToday, exportToday],
  listReconciliationDays: [
    async (shop) => {
      await knownPayment(shop);
      return { query: { accountNumber: shop.accountNumber, from: today(), to: today() } };
    },
  ],
  listReconciliationExceptions: [
    async ({ accountNumber }) => {
      const days = { from: '2026-11-01', to: '2026-12-31' };
      const page = { orderBy: 'day desc', page: '1', limit: '20' };
      return { query: { accountNumber, ...days, state: 'open', class: 'feeDiffers', ...page } };
    },
  ],
  resolveReconciliationException: [
    async (shop) => ({
      parameters: { exceptionId: await unexpectedPayment(shop) },
      body: { reason: 'Devolvido ao pagador' },
    }),
  ],
  registerExceptionNotifier: [
    async (shop) => ({
      query: { accountNumber: shop.nextAccount() },
      body: { callbackUrl: webhookOf(shop).url },
    }),
  ],
  getExceptionNotifier: [notifiedAccount],
  deleteExceptionNotifier: [notifiedAccount],
} satisfies Readonly<Record<string, readonly Recipe[]>>;
