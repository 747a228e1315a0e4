import { type CallOptions, call, logIn, type Reply } from '../client.ts';
import { createForeignMerchant, FOREIGN_USER } from '../foreign-merchant.ts';
import { openTestHouse, type TestHouse } from '../running-service.ts';

import { NOTHING_CHARGED } from './recurrence-house.ts';

/** A service, and two merchants who look at their billings. */
export type BillingHouse = TestHouse & {
  readonly merchantId: string;
  readonly userName: string;
  ask(path: string, options?: CallOptions): Promise<Reply>;
  askAsForeign(path: string, options?: CallOptions): Promise<Reply>;
};

export async function openBillingHouse(): Promise<BillingHouse> {
  const house = await openTestHouse(NOTHING_CHARGED);
  const { merchantId, recurrence } = await house.demo();
  const { auditor, gatewayUrl } = house;
  await createForeignMerchant(auditor, recurrence.userName);
  const foreign = { userName: FOREIGN_USER, password: recurrence.password };
  const token = await logIn(gatewayUrl, recurrence);
  const foreignToken = await logIn(gatewayUrl, foreign);
  return {
    ...house,
    merchantId,
    userName: recurrence.userName,
    ask: (path, options) => call(gatewayUrl, path, { token, ...options }),
    askAsForeign: (path, options) => call(gatewayUrl, path, { token: foreignToken, ...options }),
  };
}
