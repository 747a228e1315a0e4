import type { AuditDetail } from '../audit/audit-event.ts';
import { findMerchant, readBusinessClock } from '../merchants/merchants.sql.ts';
import type { Reader } from '../platform/postgres/database.ts';
import { utcText } from '../values/instant.ts';
import type { TryFailure } from '../webhooks/deliveries/delivery-outcome.ts';
import { type ListedEndpoint, listEndpointsOf } from '../webhooks/endpoints/webhook-endpoints.sql.ts';

import { findDelivery, listDeliveries } from '../webhooks/history/list-deliveries.ts';
import { type ResendRefusal, resendRefusal } from '../webhooks/history/recorded-delivery.ts';
import { resendDelivery } from '../webhooks/history/resend-deliveries.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  MERCHANT_OPTION,
  oneOf,
  option,
  required,
  table,
  visible,
} from './command.ts';
import { accountUnknown, merchantUnknown } from './refusals.ts';

const MOST_ENDPOINTS = 1_000;
/** The most deliveries of a backlog that are counted. */
const MOST_COUNTED = 10_000;
const MOST_DELIVERIES = 100;
const STATES = ['waiting', 'delivered', 'givenUp'] as const;

export const WEBHOOK_COMMANDS: readonly Command[] = [
  {
    words: ['webhook', 'list'],
    summary: 'show where a merchant is notified, what waits and since when it fails',
    options: [MERCHANT_OPTION],
    opens: 'audited',
    async run(given, tools) {
      const { database } = tools;
      const merchantId = given.one('merchant') ?? '';
      const isThere = (await findMerchant(database, merchantId)) !== null;
      await recordLook(tools, `merchants/${merchantId}/webhooks`, isThere);
      if (!isThere) return merchantUnknown(merchantId);
      const limits = { mostCounted: MOST_COUNTED, limit: MOST_ENDPOINTS };
      const found = await listEndpointsOf(database, merchantId, limits);
      const rows = found.map((one) => [
        visible(one.endpoint),
        visible(one.url ?? '-'),
        stateText(one),
        one.waiting === MOST_COUNTED ? `${MOST_COUNTED} or more` : String(one.waiting),
      ]);
      const lines =
        found.length === 0
          ? ['It is notified nowhere.']
          : table(['ENDPOINT', 'URL', 'STATE', 'WAITING'], rows);
      return { lines: [...lines, ...found.flatMap(whyLines)], json: { items: found } };
    },
  },
  {
    words: ['webhook', 'deliveries'],
    summary: `show the newest ${MOST_DELIVERIES} deliveries of an account within 31 days`,
    options: [
      MERCHANT_OPTION,
      required('--account NUMBER', 'the account'),
      option('--state STATE', `${STATES.join(', ')}; default: all`, {
        isRepeatable: true,
        check: oneOf(STATES),
      }),
      option('--nsu NSU', 'only those of this payment'),
    ],
    opens: 'audited',
    async run(given, tools) {
      const { database } = tools;
      const [merchantId, accountNumber] = [given.one('merchant') ?? '', given.one('account') ?? ''];
      const states = STATES.filter((state) => given.many('state').includes(state));
      const lists = {
        search: <T>(_merchantId: string, read: (reader: Reader) => Promise<T>) => read(database),
        clock: await readBusinessClock(database),
      };
      const found = await listDeliveries(lists, merchantId, {
        accountNumber,
        states: states.length === 0 ? STATES : states,
        nsu: given.one('nsu'),
        from: null,
        to: null,
        page: 1,
        limit: MOST_DELIVERIES,
        order: { field: 'createdAt', isDescending: true },
      });
      const resource = `merchants/${merchantId}/accounts/${accountNumber}/deliveries`;
      await recordLook(tools, resource, typeof found !== 'string');
      if (found === 'notFound') return accountUnknown(accountNumber);
      if (typeof found === 'string')
        return { option: '--nsu', message: `there are too many to put in order (${found}): name an --nsu` };
      const rows = found.items.map((one) => [
        one.deliveryId,
        one.kind,
        one.state,
        String(one.tries),
        utcText(one.createdAt),
        one.nsu ?? '-',
        visible(one.url ?? '-'),
      ]);
      const names = ['DELIVERY', 'KIND', 'STATE', 'TRIES', 'WRITTEN', 'NSU', 'URL'];
      return {
        lines: found.items.length === 0 ? ['There are none.'] : table(names, rows),
        json: { items: found.items },
      };
    },
  },
  {
    words: ['webhook', 'resend'],
    summary: 'send a delivery that ended once more, under its own id',
    options: [MERCHANT_OPTION, required('--delivery ID', 'as webhook deliveries shows it')],
    opens: 'audited',
    async run(given, { database, audit, operator }) {
      const [merchantId, deliveryId] = [given.one('merchant') ?? '', given.one('delivery') ?? ''];
      const found = await findDelivery(database, merchantId, deliveryId);
      const refusal = found === null ? 'notFound' : resendRefusal(found);
      const record = (outcome: 'success' | 'failure', detail: AuditDetail) =>
        audit.record({
          ...operator,
          action: 'webhook.resend',
          outcome,
          resource: `merchants/${merchantId}/deliveries/${deliveryId}`,
          detail,
        });
      if (refusal !== null) {
        await record('failure', { refusal });
        return refusedResend(refusal);
      }
      // What cannot be audited is not done.
      await record('success', {});
      const tools = { database, clock: await readBusinessClock(database), notify: () => {} };
      const sent = await resendDelivery(tools, merchantId, deliveryId);
      if (typeof sent === 'string') {
        // Another process was faster.
        await record('failure', { refusal: sent });
        return refusedResend(sent);
      }
      return {
        lines: [`Delivery ${deliveryId} waits to be sent again; a running service does so within seconds.`],
        json: { deliveryId, state: sent.state },
      };
    },
  },
];

/** Merchants' addresses are their own: the look is audited before anything is shown. */
async function recordLook(
  { audit, operator }: AuditedCommandTools,
  resource: string,
  isThere: boolean,
): Promise<void> {
  const outcome = isThere ? 'success' : 'failure';
  await audit.record({ ...operator, action: 'webhook.read', outcome, resource });
}

/** Why an endpoint fails, and what to do. No lines if it works, or if nothing is known. */
function whyLines({ merchantId, endpoint, state, lastFailure }: ListedEndpoint): string[] {
  if (state === 'disabled') {
    return [
      `${visible(endpoint)} failed for days, or says that it is gone: nothing is sent there.`,
      '  Have the merchant mend its server, and send a test or register the address anew.',
    ];
  }
  if (lastFailure === null) return [];
  const { at, failure, status, answer } = lastFailure;
  const { why, advice } = isKnownFailure(failure)
    ? FAILURES[failure]
    : { why: failure, advice: ASK_MERCHANT };
  const said = status === null ? '' : ` (status ${status}${answer ? `: ${visible(answer)}` : ''})`;
  return [
    `${visible(endpoint)} failed last at ${utcText(at)}: ${why}${said}.`,
    `  ${advice} What waits is sent by itself then; parcela webhook resend --merchant ${merchantId} sends again what was given up.`,
  ];
}

const ASK_MERCHANT = 'Ask the merchant to look at its server.';
const ASK_OTHER_ADDRESS = 'Have the merchant register another address: that one may not be called.';
const LOOK_HERE = 'It is ours: look at the log of the service.';

const FAILURES: Readonly<Record<TryFailure, { readonly why: string; readonly advice: string }>> = {
  connect: {
    why: 'no program took the connection (connect)',
    advice: 'Ask the merchant whether its server runs, and lets us in.',
  },
  connectTimeout: {
    why: 'nothing answered the connection (connectTimeout)',
    advice:
      'Ask the merchant whether its firewall lets us in; of several merchants at once, look at the way out of this machine.',
  },
  dns: {
    why: 'its name was not found (dns)',
    advice:
      'Ask the merchant about the name; of several merchants at once, look at the name servers of this machine.',
  },
  tls: { why: 'it speaks no TLS that we take (tls)', advice: ASK_MERCHANT },
  certificate: {
    why: 'its certificate is not good (certificate)',
    advice: 'Ask the merchant to renew it, and to send the whole chain.',
  },
  timeout: { why: 'no answer came in time (timeout)', advice: ASK_MERCHANT },
  reset: { why: 'it broke the connection (reset)', advice: ASK_MERCHANT },
  headersTooLarge: { why: 'the headers of its answer are too large (headersTooLarge)', advice: ASK_MERCHANT },
  malformed: { why: 'its answer is no HTTP (malformed)', advice: ASK_MERCHANT },
  gone: { why: 'it says that it is gone (gone)', advice: ASK_MERCHANT },
  tooManyRequests: { why: 'it asks for fewer at once (tooManyRequests)', advice: ASK_MERCHANT },
  serverError: { why: 'its server fails (serverError)', advice: ASK_MERCHANT },
  redirect: {
    why: 'it leads elsewhere, which is not followed (redirect)',
    advice: 'Have the merchant register the address that it leads to.',
  },
  refused: { why: 'it does not want the message (refused)', advice: ASK_MERCHANT },
  forbiddenUrl: { why: 'such an address is not called (forbiddenUrl)', advice: ASK_OTHER_ADDRESS },
  forbiddenAddress: {
    why: 'its name leads to an address that is not called (forbiddenAddress)',
    advice: ASK_OTHER_ADDRESS,
  },
  notSent: { why: 'this process had no connection free (notSent)', advice: LOOK_HERE },
  secretNotOpened: {
    why: 'its secret could not be opened (secretNotOpened)',
    advice: 'It is ours: parcela doctor looks at the keys.',
  },
};

const isKnownFailure = (failure: string): failure is TryFailure => Object.hasOwn(FAILURES, failure);

function stateText({ state, failingSince, openedUntil }: ListedEndpoint): string {
  if (failingSince === null) return state;
  const rest = openedUntil === null ? '' : `, rests until ${utcText(openedUntil)}`;
  return `${state}, fails since ${utcText(failingSince)}${rest}`;
}

const REFUSALS: Readonly<Record<ResendRefusal, string>> = {
  notFound: 'is no delivery of this merchant',
  stillWaiting: 'still waits to be sent: nothing is to be done',
  testNotResent: 'is a test, and tests are not sent again',
  tooOldToResend: 'ended more than thirty days ago',
  endpointRemoved: 'has nowhere to go: the address was removed',
  triedTooOften: 'was tried too often',
};

function refusedResend(refusal: ResendRefusal): CommandOutcome {
  return { option: '--delivery', message: `--delivery ${REFUSALS[refusal]}` };
}
