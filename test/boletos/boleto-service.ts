import assert from 'node:assert/strict';
import { addDays, type Day, instant, saoPauloDay } from '../../src/values/instant.ts';
import { type CallOptions, call, logIn, type Reply } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

export const today = (): Day => saoPauloDay(instant(Date.now()));
export const inDays = (days: number): Day => addDays(today(), days);

/** A shop of the demo merchant that issues boletos. */
export type BoletoShop = CallingShop & { readonly service: TestService };

/** What calls are made with. */
export type CallingShop = {
  readonly url: string;
  readonly token: string;
  readonly accountNumber: string;
  readonly merchantId: string;
};

export async function openBoletoShop(settings: Readonly<Record<string, string>> = {}): Promise<BoletoShop> {
  return shopOf(await openTestService(settings));
}

export async function shopOf<S extends TestService>(
  service: S,
): Promise<CallingShop & { readonly service: S }> {
  const demo = await service.demo();
  const url = service.integrationUrl;
  const token = await logIn(url, demo.integration, '/api/authentication/login');
  const [account] = await service.auditor.query('select merchant_id, account_number from accounts limit 1');
  const { merchant_id, account_number } = account as { merchant_id: string; account_number: string };
  return { service, url, token, merchantId: merchant_id, accountNumber: account_number };
}

/** Payments of a boleto that were not expected, as its merchant sees them. */
export async function exceptionsOf({ url, token, accountNumber }: CallingShop, id: string) {
  const query = `accountNumber=${accountNumber}&from=${inDays(-1)}&to=${inDays(1)}&class=unexpectedPayment&limit=100`;
  const reply = await call(url, `/api/reconciliation/exceptions?${query}`, { token });
  assert.equal(reply.status, 200, reply.text);
  return (reply.body.items as Record<string, unknown>[]).filter(({ boletoId }) => boletoId === id);
}

export function boletoRequest(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    value: 149.9,
    dueDate: inDays(10),
    payer: {
      name: 'Ana Souza',
      documentNumber: '52998224725',
      email: 'ana@cliente.example',
      address: {
        street: 'Rua das Flores',
        number: '100',
        district: 'Centro',
        city: 'São Paulo',
        state: 'SP',
        zipCode: '01001000',
      },
    },
    referenceTransaction: 'PEDIDO-1001',
    ...change,
  };
}

export function issue(
  { url, token, accountNumber }: CallingShop,
  change: Readonly<Record<string, unknown>> = {},
  options: CallOptions = {},
): Promise<Reply> {
  const path = `/api/billissuer/new?accountNumber=${accountNumber}`;
  return call(url, path, { token, body: boletoRequest(change), ...options });
}

export function read({ url, token }: CallingShop, id: string): Promise<Reply> {
  return call(url, `/api/billissuer/${id}`, { token });
}

export function cancel({ url, token }: CallingShop, id: string): Promise<Reply> {
  return call(url, `/api/billissuer/${id}/cancel`, { method: 'POST', token });
}

/** The boleto is to be due on another day. */
export function changeDay({ url, token }: CallingShop, id: string, dueDate: string): Promise<Reply> {
  return call(url, `/api/billissuer/${id}/due-date`, { token, body: { dueDate } });
}

export function list({ url, token, accountNumber }: CallingShop, query: string): Promise<Reply> {
  return call(url, `/api/billissuer/list/by/due-date?accountNumber=${accountNumber}&${query}`, { token });
}

/** Has the bank's simulator book something. */
export function force({ url, token }: CallingShop, id: string, body: object): Promise<Reply> {
  return call(url, `/homologation/boletos/${id}/events`, { token, body });
}

/** The boleto once it has this `statusBill`. */
export function untilStatus(shop: CallingShop, id: string, statusBill: number): Promise<Reply> {
  return until(`statusBill ${statusBill}`, async () => {
    const reply = await read(shop, id);
    return reply.status === 200 && reply.body.statusBill === statusBill ? reply : null;
  });
}

/** The movements of a boleto, in order, as old and new values. */
export async function movementsOf({ url, token, accountNumber }: CallingShop, id: string): Promise<string[]> {
  const found: string[] = [];
  for (let after = 0; ; ) {
    const reply = await call(url, `/api/movements?accountNumber=${accountNumber}&after=${after}&limit=100`, {
      token,
    });
    const { items, next } = reply.body as { items: Record<string, unknown>[]; next: number };
    for (const item of items) if (item.boletoId === id) found.push(`${item.oldValue}>${item.newValue}`);
    if (items.length === 0) return found;
    after = next;
  }
}
