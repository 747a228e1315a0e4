import { SHOWN_TO_ALL } from '../hostile/foreign/foreign-places.ts';
import type { HostileService } from '../hostile/hostile-service.ts';
import { endpointOf, tokenFor, validRequest } from '../hostile/recipes.ts';
import { inTurn, send } from '../hostile/wire.ts';
import type { Operation } from './served-document.ts';

/** Whatever a request of one merchant names, with the token of the other: it is not there. */
export async function foreignComplaints(
  { operationId, parameters }: Operation,
  { alice, bob, gatewayUrl }: HostileService,
): Promise<string[]> {
  const endpoint = endpointOf(operationId);
  const names = parameters.filter(({ name, in: place }) => place === 'path' || name === 'accountNumber');
  if (endpoint.scope === null || names.length === 0 || names.some(({ name }) => SHOWN_TO_ALL.includes(name)))
    return [];
  const complaints: string[] = [];
  for (const [owner, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    const request = { ...(await validRequest(endpoint, owner)), token: tokenFor(endpoint, other) };
    const { status, text } = await inTurn(endpoint, () => send(gatewayUrl, request));
    const isOfMerchant = status === 400 && text.startsWith('[{"tag":"merchantId"');
    if (status !== 404 && !isOfMerchant)
      complaints.push(`${operationId} with what is another merchant's was answered ${status} ${text}`);
  }
  return complaints;
}
