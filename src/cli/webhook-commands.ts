import { listMovedClocks } from '../merchants/merchant-clocks.sql.ts';
import { findMerchant } from '../merchants/merchants.sql.ts';
import { type Instant, instant, utcText } from '../values/instant.ts';
import { type ListedEndpoint, listEndpointsOf } from '../webhooks/endpoints/listed-endpoints.sql.ts';
import { findDelivery, listDeliveries } from '../webhooks/history/list-deliveries.ts';
import type { RecordedDelivery, ResendRefusal } from '../webhooks/history/recorded-delivery.ts';
import { resendDelivery } from '../webhooks/history/resend-deliveries.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  table,
  visible,
} from './command.ts';

const MOST_ENDPOINTS = 1_000;
/** A backlog is counted up to so many. */
const MOST_COUNTED = 10_000;
const MOST_DELIVERIES = 100;
const STATES = ['waiting', 'delivered', 'givenUp'] as const;

const MERCHANT_OPTION = {
  name: 'merchant',
  value: 'ID',
  description: 'the merchant',
  isRequired: true,
} as const;

/** What merchants see of their webhooks in the API, for the operator. */
export const WEBHOOK_COMMANDS: readonly Command[] = [
  {
    words: ['webhook', 'list'],
    summary: 'show where a merchant is notified, what waits and since when it fails',
    options: [MERCHANT_OPTION],
    isAudited: false,
    run: runList,
  },
  {
    words: ['webhook', 'deliveries'],
    summary: `show the newest ${MOST_DELIVERIES} deliveries of an account within 31 days`,
    options: [
      MERCHANT_OPTION,
      { name: 'account', value: 'NUMBER', description: 'the account', isRequired: true },
      {
        name: 'state',
        value: 'STATE',
        description: `${STATES.join(', ')}; default: all`,
        isRepeatable: true,
        check: (value) =>
          STATES.some((state) => state === value) ? null : `must be one of ${STATES.join(', ')}`,
      },
      { name: 'nsu', value: 'NSU', description: 'only those of this payment' },
    ],
    isAudited: false,
    run: runDeliveries,
  },
  {
    words: ['webhook', 'resend'],
    summary: 'send a delivery that ended once more, under its own id',
    options: [
      MERCHANT_OPTION,
      { name: 'delivery', value: 'ID', description: 'as webhook deliveries shows it', isRequired: true },
    ],
    isAudited: true,
    run: runResend,
  },
];

async function runList(given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const merchantId = given.one('merchant') ?? '';
  if ((await findMerchant(database, merchantId)) === null) return noMerchant(merchantId);
  const limits = { mostCounted: MOST_COUNTED, limit: MOST_ENDPOINTS };
  const found = await listEndpointsOf(database, merchantId, limits);
  const rows = found.map((one) => [
    visible(one.endpoint),
    visible(one.url ?? '-'),
    stateText(one),
    one.waiting === MOST_COUNTED ? `${MOST_COUNTED} or more` : String(one.waiting),
  ]);
  const lines =
    found.length === 0 ? ['It is notified nowhere.'] : table(['ENDPOINT', 'URL', 'STATE', 'WAITING'], rows);
  const items = found.map((one) => ({
    ...one,
    failingSince: textOrNull(one.failingSince),
    openedUntil: textOrNull(one.openedUntil),
  }));
  return { ok: true, lines, json: { items } };
}

function stateText({ state, failingSince, openedUntil }: ListedEndpoint): string {
  if (failingSince === null) return state;
  const rest = openedUntil === null ? '' : `, rests until ${utcText(openedUntil)}`;
  return `${state}, fails since ${utcText(failingSince)}${rest}`;
}

async function runDeliveries(given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const states = STATES.filter((state) => given.many('state').includes(state));
  const found = await listDeliveries(
    { search: (_merchantId, read) => read(database) },
    given.one('merchant') ?? '',
    {
      accountNumber: given.one('account') ?? '',
      states: states.length === 0 ? STATES : states,
      nsu: given.one('nsu'),
      from: null,
      to: null,
      page: 1,
      limit: MOST_DELIVERIES,
      order: { field: 'createdAt', isDescending: true },
    },
  );
  if (found === 'notFound')
    return { ok: false, option: '--account', message: '--account is no account of this merchant' };
  if (typeof found === 'string')
    return {
      ok: false,
      option: '--nsu',
      message: `there are too many to put in order (${found}): name an --nsu`,
    };
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
    ok: true,
    lines: found.items.length === 0 ? ['There are none.'] : table(names, rows),
    json: { items: found.items.map(deliveryJson) },
  };
}

function deliveryJson(one: RecordedDelivery): object {
  const { createdAt, dueAt, endedAt } = one;
  return { ...one, createdAt: utcText(createdAt), dueAt: textOrNull(dueAt), endedAt: textOrNull(endedAt) };
}

const REFUSALS: Readonly<Record<ResendRefusal, string>> = {
  notFound: 'is no delivery of this merchant',
  stillWaiting: 'still waits to be sent: nothing is to be done',
  testNotResent: 'is a test, and tests are not sent again',
  tooOldToResend: 'ended more than thirty days ago',
  endpointRemoved: 'has nowhere to go: the address was removed',
  triedTooOften: 'was tried too often',
};

async function runResend(given: GivenOptions, tools: AuditedCommandTools): Promise<CommandOutcome> {
  const { database, audit, operator } = tools;
  const [merchantId, deliveryId] = [given.one('merchant') ?? '', given.one('delivery') ?? ''];
  const before = await findDelivery(database, merchantId, deliveryId);
  if (before === null) return refusedResend('notFound');
  // What cannot be audited is not done.
  await audit.record({
    ...operator,
    action: 'webhook.resend',
    outcome: 'success',
    resource: `merchants/${merchantId}/deliveries/${deliveryId}`,
  });
  const shift = (await listMovedClocks(database)).get(merchantId)?.shiftMilliseconds ?? 0;
  const now = () => instant(Date.now() + shift);
  const sent = await resendDelivery(
    { database, inLine: (_merchantId, run) => run(), clock: { now, unmoved: now }, notify: () => {} },
    merchantId,
    deliveryId,
  );
  if (typeof sent === 'string') return refusedResend(sent);
  return {
    ok: true,
    lines: [`Delivery ${deliveryId} waits to be sent again; a running service does so within seconds.`],
    json: { deliveryId, state: sent.state },
  };
}

function refusedResend(refusal: ResendRefusal): CommandOutcome {
  return { ok: false, option: '--delivery', message: `--delivery ${REFUSALS[refusal]}` };
}

function noMerchant(merchantId: string): CommandOutcome {
  return {
    ok: false,
    option: '--merchant',
    message: `--merchant ${JSON.stringify(merchantId)} is no merchant here`,
  };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : utcText(at);
}
