import { insertPlan } from '../recurrence/recurrence-house.ts';
import { jsonOf } from './caller.ts';
import type { Shop } from './scenario.ts';

/** A stored card of a marked number pays a subscription, which is looked for, read, changed and canceled. */
export async function enrol(shop: Shop): Promise<void> {
  const { house, caller, token, recurrenceToken, merchantId } = shop;
  const url = house.service().gatewayUrl;
  const ask = async (given: string, method: string, path: string, body?: unknown) => {
    const told = await caller.ask(url, {
      method,
      path,
      token: given,
      ...(body === undefined ? {} : { body }),
    });
    if (told.status !== 200) throw new Error(`${method} ${path} was answered ${told.status}: ${told.text}`);
    return jsonOf(told);
  };
  const store = async () => {
    const cardNumber = house.marks.numbers.vault;
    const [card] = (await ask(token, 'POST', '/v1/cards/tokenization', { cardNumber })) as [object];
    const beside = { cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
    return (await ask(token, 'POST', '/v1/vaults/cards', { ...card, ...beside })) as { vaultId: string };
  };
  const auditor = await house.openAuditor();
  const planId = await insertPlan({ auditor, merchantId });
  await auditor.close();
  const path = '/v1/recurrences/subscriptions';
  const { vaultId } = await store();
  const id = await ask(recurrenceToken, 'POST', path, { vaultId, orderNumber: 'P-1', planId });
  await ask(recurrenceToken, 'GET', `${path}?vaultId=${vaultId}&planName=clube`);
  await ask(recurrenceToken, 'POST', `${path}/${id}/vault`, await store());
  for (const status of ['Canceled', 'Actived'])
    await ask(recurrenceToken, 'POST', `${path}/${id}/status`, { status });
  await ask(recurrenceToken, 'GET', `${path}/${id}`);
}
