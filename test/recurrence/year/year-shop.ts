import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type CallOptions, call, logIn, type Reply } from '../../kit/merchant.ts';
import { openTestService, until } from '../../kit/service.ts';
import { type ledger, order, type PixShop, pixShopOf } from '../../pix/pix-service.ts';
import { WITH_AUTOMATIC_PIX } from '../automatic-pix-service.ts';
import { dayAfter } from './days.ts';

/** A merchant whose subscribers pay by card and by Pix, with the simulated acquirer and bank. */
export type YearShop = {
  readonly pix: PixShop;
  /** Of the API of recurrence; an answer that is not 200 throws. */
  readonly ask: (path: string, options?: CallOptions) => Promise<Reply['body']>;
  readonly storeCard: (cardNumber: string, brand: string) => Promise<string>;
  /** By the merchant's clock, until it has arrived. */
  readonly moveOn: (days: number) => Promise<void>;
  readonly today: () => Promise<string>;
  readonly acquirerLedger: () => Promise<AcquirerCharge[]>;
  readonly bankLedger: <T>(what: 'pix' | 'authorizations' | 'recurring' | 'charges') => Promise<T[]>;
  /** Lines of the log: where the clock could not wait for what was due, days may be later than asked for. */
  readonly wentPast: () => string[];
  close(): Promise<void>;
};

/** As the simulated acquirer has it. */
export type AcquirerCharge = {
  /** The billing. */
  readonly reference: string;
  readonly paymentId: string;
  readonly status: 'approved' | 'declined' | 'undone';
  readonly amount: number;
  readonly nsu: string | null;
};

const CLOCK = '/homologation/clock';
const CALL_MILLISECONDS = 180_000;
/** A month of a thousand subscribers, on a busy machine. */
const JUMP_MILLISECONDS = 1_800_000;
const LOOK_MILLISECONDS = 2_000;

export async function openYearShop(): Promise<YearShop> {
  const service = await openTestService(WITH_AUTOMATIC_PIX);
  const acquirerUrl = await readFile(join(service.folder, 'simulator', 'address'), 'utf8');
  const pix = await pixShopOf(service);
  const { recurrence } = await service.demo();
  const token = await logIn(pix.url, recurrence, '/api/auth/token');
  const ask = async (path: string, options: CallOptions = {}) => {
    // A busy machine may ask for patience: what is sent again is the same.
    const headers = { 'idempotency-key': randomUUID() };
    const whole = {
      token,
      timeoutMilliseconds: CALL_MILLISECONDS,
      ...(options.body === undefined ? {} : { headers }),
      ...options,
    };
    const reply = await until(`${path} is answered`, async () => {
      const got = await call(pix.url, path, whole).catch(() => null);
      return got === null || got.status === 503 ? null : got;
    });
    assert.ok([200, 202].includes(reply.status), `${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  return {
    ...{ pix, ask },
    async storeCard(cardNumber, brand) {
      const tokenized = await ask('/v1/cards/tokenization', { body: { cardNumber }, token: pix.token });
      const body = {
        ...{ numberToken: tokenized[0].numberToken, brand },
        ...{ cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' },
      };
      return (await ask('/v1/vaults/cards', { body, token: pix.token })).vaultId as string;
    },
    async moveOn(days) {
      const { now } = await ask(CLOCK);
      const to = `${dayAfter(now.slice(0, 10), days)}${now.slice(10, 19)}`;
      const isThere = async () => {
        const clock = await ask(CLOCK);
        return clock.target === null && clock.now.slice(0, 19) >= to;
      };
      await call(pix.url, CLOCK, { token, body: { to }, timeoutMilliseconds: CALL_MILLISECONDS }).catch(
        () => null,
      );
      await arrival(isThere);
    },
    today: async () => (await ask(CLOCK)).now.slice(0, 10) as string,
    async acquirerLedger() {
      const found = await readAll<AcquirerCharge & { readonly merchantId: string }>(
        (after) => `${acquirerUrl}/ledger/all?after=${after}&limit=${PAGE}`,
      );
      return found.filter(({ merchantId }) => merchantId === pix.merchantId);
    },
    bankLedger: <T>(what: Parameters<typeof ledger>[1]) =>
      readAll<T>(
        (after) =>
          `${pix.bankUrl}/simulator/ledger/${what}?clientId=${pix.customerOfBank}&after=${after}&limit=${PAGE}`,
      ),
    wentPast: () => service.log.filter((line) => line.includes('the test clock went past')),
    close: () => service.close(),
  };
}

/** Seldom: looking costs what the service could work with. */
async function arrival(isThere: () => Promise<boolean>): Promise<void> {
  for (
    const endsAt = performance.now() + JUMP_MILLISECONDS;
    performance.now() < endsAt;
    await pause(LOOK_MILLISECONDS)
  )
    if (await isThere()) return;
  throw new Error('the clock has not arrived');
}

const PAGE = 1_000;

async function readAll<T>(at: (after: number) => string): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const answer = await fetch(at(found.length));
    assert.equal(answer.status, 200);
    const { items } = (await answer.json()) as { items: T[] };
    found.push(...items);
    if (items.length < PAGE) return found;
  }
}

/** What a payer does at his bank. */
export async function orderOfPayer({ pix }: YearShop, path: string, body: object): Promise<void> {
  const done = await order(pix, path, { clientId: pix.customerOfBank, ...body });
  assert.ok([200, 201].includes(done.status), `${path}: ${done.status} ${JSON.stringify(done.body)}`);
}
