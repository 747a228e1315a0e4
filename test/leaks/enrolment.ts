import { until } from '../kit/service.ts';
import { plantSubscription } from '../recurrence/billing-rows.ts';
import { insertPlan } from '../recurrence/recurrence-service.ts';
import { jsonOf } from './caller.ts';
import type { Shop } from './scenario.ts';

/** A stored card of a marked number pays a subscription, which is looked for, read, changed and canceled. */
export async function enrol(shop: Shop): Promise<void> {
  const { service, caller, token, recurrenceToken, merchantId } = shop;
  const url = service.gatewayUrl;
  const ask = async (given: string, method: string, path: string, body?: unknown) => {
    const reported = await caller.ask(url, {
      method,
      path,
      token: given,
      ...(body === undefined ? {} : { body }),
    });
    if (reported.status !== 200)
      throw new Error(`${method} ${path} was answered ${reported.status}: ${reported.text}`);
    return jsonOf(reported);
  };
  const store = async () => {
    const cardNumber = service.marks.numbers.vault;
    const [card] = (await ask(token, 'POST', '/v1/cards/tokenization', { cardNumber })) as [object];
    const beside = { cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
    return (await ask(token, 'POST', '/v1/vaults/cards', { ...card, ...beside })) as { vaultId: string };
  };
  const auditor = await service.openAuditor();
  const planId = await insertPlan({ auditor, merchantId });
  await auditor.close();
  const path = '/v1/recurrences/subscriptions';
  const { vaultId } = await store();
  const id = await ask(recurrenceToken, 'POST', path, { vaultId, orderNumber: 'P-1', planId });
  await until('its first billing is paid', async () => {
    const paid = await ask(
      recurrenceToken,
      'GET',
      `/v1/recurrences/billing?subscriptionId=${id}&status=Paid`,
    );
    return (paid as { total: number }).total === 1;
  });
  await ask(recurrenceToken, 'GET', `${path}?vaultId=${vaultId}&planName=clube`);
  await ask(recurrenceToken, 'POST', `${path}/${id}/vault`, await store());
  for (const status of ['Canceled', 'Actived'])
    await ask(recurrenceToken, 'POST', `${path}/${id}/status`, { status });
  await ask(recurrenceToken, 'GET', `${path}/${id}`);
}

/**
 * An alert endpoint into whose texts a marked number is typed, which is then notified of a card
 * that expires soon, and ends.
 */
export async function enqueueAlertsOf({ service, caller, merchantId }: Shop, token: string): Promise<void> {
  const url = service.gatewayUrl;
  const ask = async (method: string, path: string, body?: unknown, status = 200) => {
    const asked = { method, path: `/v1/recurrences/merchantnotifier${path}`, token };
    const reported = await caller.ask(url, body === undefined ? asked : { ...asked, body });
    if (reported.status !== status)
      throw new Error(`${method} of a notifier was answered ${reported.status}: ${reported.text}`);
    return reported;
  };
  const auditor = await service.openAuditor();
  const rows = { auditor, merchantId };
  const { vaultId } = await plantSubscription(rows);
  await auditor.query(
    `update vault_cards set expiration_year = to_char(now() at time zone 'America/Sao_Paulo', 'YY'),
       expiration_month = to_char(now() at time zone 'America/Sao_Paulo', 'MM') where vault_id = $1`,
    [vaultId],
  );
  const typed = service.marks.typedNumber;
  const callbackUrl = 'http://127.0.0.1:49151/avisos';
  const events = ['failed', 'paid', 'canceled', 'cardExpiring', 'upcoming'];
  const body = { merchantId, name: 'Cobranças', description: 'Avisa o time', callbackUrl, events };
  await ask('POST', '', { ...body, name: `Cartão ${typed}` }, 400);
  const alertEndpointId = jsonOf(await ask('POST', '', body)) as string;
  await until('it was told of the card', async () => {
    const reported = 'select 1 from card_expiry_alerts where vault_id = $1';
    return (await auditor.query(reported, [vaultId])).length === 1;
  });
  await auditor.close();
  await ask('GET', '?name=cobran');
  await ask('POST', `/${alertEndpointId}/status`, { status: 'Inactive' });
}
