import type { TestContext } from 'node:test';
import { type Answered, type RunningProcess, startProcess } from '../kit/sales/running-process.ts';

export const MERCHANT_ID = '00000000-1111-2222-3333-444444444444';
const KEY = 'K'.repeat(40);

/** The real program, and what its merchant asks. */
export type RunningCielo = RunningProcess & {
  /** Below `/1`. */
  readonly call: (method: string, path: string, json?: unknown, headers?: object) => Promise<Answered>;
};

/** The query host is not behind, unless an option says so. */
export async function startCielo(
  t: TestContext,
  { folder, options = [] }: { readonly folder?: string; readonly options?: readonly string[] } = {},
): Promise<RunningCielo> {
  const words = ['--replica-lag-milliseconds', '0', ...options];
  const settings = folder === undefined ? { options: words } : { folder, options: words };
  const running = await startProcess(t, 'simulators/cielo/main.ts', settings);
  return {
    ...running,
    call: (method, path, json, headers = {}) =>
      running.ask(method, `/1${path}`, {
        json,
        headers: {
          merchantid: MERCHANT_ID,
          merchantkey: KEY,
          'content-type': 'application/json',
          ...headers,
        },
      }),
  };
}

/** A sale that is approved and captured, save for what is given of its payment. */
export function cieloSale(reference: string, changed: object = {}): Record<string, unknown> {
  return {
    ...{ MerchantOrderId: reference, Customer: { Name: 'Ana Souza' } },
    Payment: {
      ...{ Type: 'CreditCard', Amount: 15_700, Installments: 1, Capture: true, SoftDescriptor: 'LOJA' },
      CreditCard: cieloCard(),
      ...changed,
    },
  };
}

export function cieloCard(changed: object = {}): object {
  return {
    ...{ CardNumber: '4111111111111111', Holder: 'Ana Souza', ExpirationDate: '12/2030' },
    ...{ SecurityCode: '123', Brand: 'Visa' },
    ...changed,
  };
}
