import type { TestContext } from 'node:test';
import { type Answered, type RunningProcess, startProcess } from '../kit/sales/running-process.ts';

export const AFFILIATION = '12345678';
const KEY = 'key-of-a-test';

/** The real program, and what its merchant asks. */
export type RunningRede = RunningProcess & {
  /** With a token; a new one when there is none. */
  readonly call: (method: string, path: string, json?: unknown, headers?: object) => Promise<Answered>;
  readonly token: () => Promise<Answered>;
};

export async function startRede(
  t: TestContext,
  settings: { readonly folder?: string; readonly options?: readonly string[] } = {},
): Promise<RunningRede> {
  const running = await startProcess(t, 'simulators/rede/main.ts', settings);
  const basic = `Basic ${Buffer.from(`${AFFILIATION}:${KEY}`).toString('base64')}`;
  let bearer = '';
  const token = async () => {
    const headers = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await running.ask('POST', '/oauth2/token', {
      form: 'grant_type=client_credentials',
      headers,
    });
    bearer = answer.body.access_token ?? bearer;
    return answer;
  };
  return {
    ...running,
    token,
    async call(method, path, json, headers = {}) {
      if (bearer === '') await token();
      const named = { authorization: `Bearer ${bearer}`, 'transaction-response': 'brand-return-opened' };
      return running.ask(method, `/v2/transactions${path}`, { json, headers: { ...named, ...headers } });
    },
  };
}

/** A sale that is approved and captured, save for what is given. */
export function redeSale(reference: string, changed: object = {}): Record<string, unknown> {
  return {
    ...{ capture: true, kind: 'credit', reference, amount: 2_500, cardHolderName: 'Ana Souza' },
    ...{ cardNumber: '5448280000000007', expirationMonth: 12, expirationYear: 2030, securityCode: '235' },
    ...changed,
  };
}
