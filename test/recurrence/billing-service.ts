import { createForeignMerchant, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import { type CallOptions, call, logIn, type Reply } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';

import { NOTHING_CHARGED } from './recurrence-service.ts';

/** A service, and two merchants who look at their billings. */
export type BillingService = TestService & {
  readonly merchantId: string;
  readonly userName: string;
  ask(path: string, options?: CallOptions): Promise<Reply>;
  askAsForeign(path: string, options?: CallOptions): Promise<Reply>;
};

export async function openBillingService(): Promise<BillingService> {
  const service = await openTestService(NOTHING_CHARGED);
  const { merchantId, recurrence } = await service.demo();
  const { auditor, gatewayUrl } = service;
  await createForeignMerchant(auditor, recurrence.userName);
  const foreign = { userName: FOREIGN_USER, password: recurrence.password };
  const token = await logIn(gatewayUrl, recurrence);
  const foreignToken = await logIn(gatewayUrl, foreign);
  return {
    ...service,
    merchantId,
    userName: recurrence.userName,
    ask: (path, options) => call(gatewayUrl, path, { token, ...options }),
    askAsForeign: (path, options) => call(gatewayUrl, path, { token: foreignToken, ...options }),
  };
}
