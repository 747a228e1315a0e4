import type { BusinessClock } from '../../platform/business-clock.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database-errors.ts';
import { traced, traceHeader } from '../../platform/tracing/scope.ts';
import type { PostRequest } from '../posting/posting-result.ts';
import type { OpenedSecrets } from '../secrets/create-secret.ts';
import { type DeliveryToSend, deliveryId } from './delivery.ts';
import { type Posted, type Try, tryOf, unsentTry } from './delivery-outcome.ts';

export type SendTools = {
  /** Never throws. */
  readonly post: (request: PostRequest) => Promise<Posted>;
  /** Makes `webhook-id`, `webhook-timestamp` (real time, seconds) and, with secrets, `webhook-signature`. */
  readonly sign: (
    secrets: readonly Buffer[],
    id: string,
    timestampSeconds: number,
    body: string,
  ) => Readonly<Record<string, string>>;
  readonly clock: BusinessClock;
  readonly openSecrets: (delivery: DeliveryToSend) => Promise<OpenedSecrets>;
  /** `Parcela/<version>`. */
  readonly userAgent: string;
};

const CONNECT_MILLISECONDS = 5_000;
/** The longest time of a try, name look-up included; in a jump of the test clock it is shorter. */
export const TRY_MILLISECONDS = 15_000;

/**
 * Sends once and records nothing. If our keys cannot open its secrets, the delivery counts as unsent. Throws
 * only if the database is unavailable.
 */
export async function sendDelivery(
  tools: SendTools,
  delivery: DeliveryToSend,
  totalMilliseconds: number = TRY_MILLISECONDS,
): Promise<Try> {
  let opened: OpenedSecrets;
  try {
    opened = await tools.openSecrets(delivery);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    return unsentTry('secretNotOpened');
  }
  return traced({ name: 'POST webhook', kind: 'client', attributes: ABOUT_POST }, async (span) => {
    const posted = await tools.post(postRequest(tools, delivery, opened, totalMilliseconds));
    span?.set({ 'http.response.status_code': posted.kind === 'answered' ? posted.status : null });
    const made = tryOf(posted);
    if (made.failure !== null) span?.fail(made.failure);
    return made;
  });
}

const ABOUT_POST = { 'http.request.method': 'POST', 'peer.service': 'webhook' } as const;

function postRequest(
  tools: SendTools,
  delivery: DeliveryToSend,
  opened: OpenedSecrets,
  totalMilliseconds: number,
): PostRequest {
  const { merchantId, url, body } = delivery;
  const timestamp = Math.floor(tools.clock.unmoved() / 1_000);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': tools.userAgent,
    ...(opened.basicAuth === null ? {} : { authorization: `Basic ${opened.basicAuth}` }),
    ...tools.sign(opened.secrets, deliveryId(delivery), timestamp, body),
    ...traceHeader('merchants'),
  };
  const connectMilliseconds = Math.min(CONNECT_MILLISECONDS, totalMilliseconds);
  return { merchantId, url, body, headers, connectMilliseconds, totalMilliseconds };
}
