import { paymentRequest } from '../../test/kit/merchant.ts';
import type { Means } from './means.ts';

/** Requests begun, connections opened, answers or refusals that came. */
export type Least = { readonly sent?: number; readonly opened?: number; readonly answered?: number };

/** Something that takes the service from others unless something is in its way. A new one is an entry. */
export type Attack = {
  readonly name: string;
  readonly by: 'stranger' | 'merchant' | 'both';
  readonly about: string;
  /** What must have been done, in full size, until it is under way. */
  readonly least: Least;
  /** Goes on until it is stopped. */
  run(means: Means): Promise<void>;
};

const STRANGER = '127.0.0.2';
/** The third merchant has several servers. */
const MERCHANT = ['127.0.0.3', '127.0.0.4', '127.0.0.5'] as const;
const merchantAddress = (number: number) => MERCHANT[number % MERCHANT.length] as string;
/** Of somebody who has many addresses. */
const addressOf = (first: number, number: number, count: number) => `127.0.0.${first + (number % count)}`;

const SLOW_READERS: Attack = {
  name: 'slowReaders',
  by: 'both',
  about: '200 connections that ask again and again and read no answer; a new one for each that is cut',
  least: { sent: 1_000 },
  run: (means) => {
    const { gatewayToken, bigReference } = means.target;
    const page = means.head('GET', '/docs');
    const list = means.head(
      'GET',
      `/v1/payments?referenceTransaction=${bigReference}&limit=100`,
      '',
      gatewayToken,
    );
    const isStranger = new WeakMap<object, boolean>();
    const ask = (isStrange: boolean) => {
      means.tally.sent += 1;
      return isStrange ? page : list;
    };
    return means.keepOpen(
      200,
      200,
      (number) => {
        const isStrange = number % 2 === 0;
        const from = isStrange ? STRANGER : merchantAddress(number);
        const socket = means.open(from, ask(isStrange), { isRead: false });
        isStranger.set(socket, isStrange);
        return socket;
      },
      // What waits here is memory of ours.
      (socket) => socket.writableLength === 0 && socket.write(ask(isStranger.get(socket) === true)),
      250,
    );
  },
};

const LONG = 'Content-Type: application/json\r\nContent-Length: 60000\r\n';

const SLOW_BODIES: Attack = {
  name: 'slowBodies',
  by: 'both',
  about: '2,100 connections whose bodies come by a byte a second; a new one for each that is cut',
  least: { opened: 2_100 },
  run: (means) => {
    const login = means.head('POST', '/api/auth/token', LONG);
    const payment = means.head('POST', '/v1/payments', LONG, means.target.gatewayToken);
    return means.keepOpen(
      2_100,
      1_400,
      (number) =>
        number % 3 === 0
          ? means.open(merchantAddress(number / 3), `${payment}{`, { isRead: true })
          : means.open(addressOf(10, number, 3), `${login}{`, { isRead: true }),
      (socket) => socket.writable && socket.write(' '),
      1_000,
    );
  },
};

const PIPELINING: Attack = {
  name: 'pipelining',
  by: 'both',
  about: '50 connections, each of which sends 40 requests at once; a new one for each that ends',
  least: { opened: 100 },
  run: (means) => {
    const { gatewayToken } = means.target;
    const pages = means.head('GET', '/docs').repeat(40);
    const keys = means.head('GET', '/v1/cards/public-key', '', gatewayToken).repeat(40);
    return means.keepOpen(50, 100, (number) => {
      means.tally.sent += 40;
      return number % 2 === 0
        ? means.open(STRANGER, pages, { isRead: true })
        : means.open(merchantAddress(number), keys, { isRead: true });
    });
  },
};

/** As many of each address as it may have, and half as many more: these are to be refused. */
const IDLE_ADDRESSES = 6;

const IDLE: Attack = {
  name: 'idle',
  by: 'stranger',
  about: '6,000 connections of six addresses that ask once and then do nothing, and 3,000 that are refused',
  least: { opened: 9_000 },
  run: (means) => {
    const health = means.head('GET', '/health/live');
    return means.keepOpen(9_000, 3_000, (number) =>
      means.open(addressOf(20, number, IDLE_ADDRESSES), health, { isRead: true }),
    );
  },
};

/** Answered by nothing: the acquirer is silent. */
const SILENT_CENTS = 11_001;
const SLOW_PAYMENTS_AT_ONCE = 2_300;

const SLOW_PAYMENTS: Attack = {
  name: 'slowPayments',
  by: 'merchant',
  about: '2,300 payments under way at once that the acquirer does not answer',
  least: { sent: 2_300, answered: 100 },
  run: (means) => {
    const { gatewayToken: token, vaultId } = means.target;
    return means.atOnce(SLOW_PAYMENTS_AT_ONCE, async (caller) => {
      const body = paymentRequest('', SILENT_CENTS, { cardInfo: { vaultId } });
      const status = await means.ask('/v1/payments', { from: merchantAddress(caller), token, body });
      // As `Retry-After` says.
      if (status === 503 || status === 429) await means.rest(1_800);
      return status;
    });
  },
};

const BIG_LISTS: Attack = {
  name: 'bigLists',
  by: 'merchant',
  about: '100 callers at once: a reference of 20,000 payments, and a sale of 9,900 shares',
  least: { answered: 100 },
  run: (means) => {
    const { gatewayToken: token, bigReference, bigPaymentId } = means.target;
    return means.atOnce(100, (caller) => {
      const list = `/v1/payments?referenceTransaction=${bigReference}&limit=100&page=${1 + (caller % 100)}`;
      const path = caller % 2 === 0 ? list : `/v1/payments/${bigPaymentId}`;
      return means.ask(path, { from: merchantAddress(caller), token });
    });
  },
};

const SECRETS: Attack = {
  name: 'secrets',
  by: 'merchant',
  about: '400 callers at once that make secrets of webhooks, each an entry of the audit log',
  least: { sent: 400, answered: 100 },
  run: (means) => {
    const { integrationToken: token, accountNumber } = means.target;
    const path = `/api/webhooks/secret?accountNumber=${accountNumber}`;
    return means.atOnce(400, (caller) =>
      means.ask(path, { from: merchantAddress(caller), token, method: 'POST' }),
    );
  },
};

const REGISTRATIONS: Attack = {
  name: 'registrations',
  by: 'merchant',
  about: '200 registrations of webhooks a second, of names whose name servers are silent',
  least: { answered: 200 },
  run: (means) => {
    const { integrationToken: token, accountNumber } = means.target;
    const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
    return means.atRate(200, (number) => {
      const body = { url: `https://loja-${number}.silent.example/avisos` };
      return means.ask(path, { from: merchantAddress(number), token, body });
    });
  },
};

const VAULT_READS: Attack = {
  name: 'vaultReads',
  by: 'merchant',
  about: '1,000 reads of a stored card a second, each an entry of the audit log',
  least: { answered: 1_000 },
  run: (means) => {
    const { gatewayToken: token, vaultId } = means.target;
    return means.atRate(1_000, (number) =>
      means.ask(`/v1/vaults/cards/${vaultId}`, { from: merchantAddress(number), token }),
    );
  },
};

export const ATTACKS: readonly Attack[] = [
  SLOW_READERS,
  SLOW_BODIES,
  PIPELINING,
  IDLE,
  SLOW_PAYMENTS,
  BIG_LISTS,
  SECRETS,
  REGISTRATIONS,
  VAULT_READS,
];
