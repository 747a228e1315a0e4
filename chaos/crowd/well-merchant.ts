import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { paymentRequest, TEST_CARD } from '../../test/kit/merchant.ts';
import type { Chance } from '../chance.ts';
import type { Shop } from '../chaos-bench.ts';

/** What a well-behaved caller asked for and what came of it. */
export type Answer = {
  readonly what: string;
  /** Null: none came, and `lostBy` says why. */
  readonly status: number | null;
  readonly lostBy: string | null;
  readonly milliseconds: number;
};

/** Longer than the service may take over a request: what is not answered by then hangs. */
const PATIENCE_MILLISECONDS = 60_000;
const TICK_MILLISECONDS = 5;
/** Every how many payments a card is tokenized first, and how long it is between two errands. */
const TOKENIZED_EVERY = 5;
const ERRAND_MILLISECONDS = 1_000;
const HOME = '127.0.0.1';

const newAgent = () => new Agent({ localAddress: HOME, pipelining: 1 });

type Call = { readonly token?: string; readonly body?: unknown; readonly method?: 'POST' };

/**
 * A merchant that pays at a steady rate, whether answers come or not, as buyers do who know nothing of each
 * other, and does its other business beside it: what all merchants share must be there for that too.
 */
export class WellMerchant {
  readonly shop: Shop;
  readonly #url: string;
  readonly #chance: Chance;
  readonly #agent = newAgent();
  #tokens = { gateway: '', integration: '' };
  #vaultId = '';
  readonly #listener: Server = createServer((incoming, response) => {
    incoming.resume();
    response.end();
  });
  #payments: Answer[] = [];
  #errands: Answer[] = [];
  #underWay = new Set<Promise<unknown>>();
  #isStopped = false;
  #sent = 0;

  constructor(url: string, shop: Shop, chance: Chance) {
    this.#url = url;
    this.shop = shop;
    this.#chance = chance;
  }

  /** Logs in, stores the card that most of its payments are made with, and has a server for its webhook. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#listener.listen(0, HOME, resolve));
    for (const errand of [this.#logIn, this.#store, this.#register]) {
      const answer = await errand.call(this);
      if (answer.status !== 200) throw new Error(`${answer.what} was answered ${answer.status}`);
    }
  }

  get gatewayToken(): string {
    return this.#tokens.gateway;
  }

  get integrationToken(): string {
    return this.#tokens.integration;
  }

  get vaultId(): string {
    return this.#vaultId;
  }

  /** Pays so often a second until `stop`. */
  start(perSecond: number): void {
    this.#isStopped = false;
    this.#track(this.#pay(perSecond));
    this.#track(this.#runErrands());
  }

  /** Resolves when all that was sent is answered, with what was. */
  async stop(): Promise<{ readonly payments: readonly Answer[]; readonly errands: readonly Answer[] }> {
    this.#isStopped = true;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    const answers = { payments: this.#payments, errands: this.#errands };
    this.#payments = [];
    this.#errands = [];
    return answers;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#agent.destroy();
    this.#listener.closeAllConnections();
    this.#listener.close();
  }

  #track(work: Promise<unknown>): void {
    const known = work.finally(() => this.#underWay.delete(known));
    this.#underWay.add(known);
  }

  async #pay(perSecond: number): Promise<void> {
    const startedAt = performance.now();
    for (let begun = 0; !this.#isStopped; ) {
      for (; begun < ((performance.now() - startedAt) * perSecond) / 1_000; begun += 1)
        this.#track(this.#payOne());
      await new Promise((wake) => setTimeout(wake, TICK_MILLISECONDS));
    }
  }

  async #payOne(): Promise<void> {
    this.#sent += 1;
    const amount = 20_000 + this.#chance.whole(0, 899);
    const isTokenized = this.#sent % TOKENIZED_EVERY === 0;
    let body: object = paymentRequest('', amount, { cardInfo: { vaultId: this.#vaultId } });
    if (isTokenized) {
      const { answer, numberToken } = await this.#tokenize();
      this.#errands.push(answer);
      if (numberToken === null) return;
      body = paymentRequest(numberToken, amount);
    }
    this.#payments.push(await this.#ask('/v1/payments', { token: this.#tokens.gateway, body }));
  }

  async #runErrands(): Promise<void> {
    const errands = [this.#logIn, this.#store, this.#register, this.#makeSecret, this.#list];
    for (let turn = 0; !this.#isStopped; turn += 1) {
      const errand = errands[turn % errands.length] as (this: WellMerchant) => Promise<Answer>;
      this.#track(errand.call(this).then((answer) => this.#errands.push(answer)));
      for (let waited = 0; waited < ERRAND_MILLISECONDS && !this.#isStopped; waited += 50)
        await new Promise((wake) => setTimeout(wake, 50));
    }
  }

  /** Over a connection of its own, as a merchant's next program opens one. */
  async #logIn(): Promise<Answer> {
    const agent = newAgent();
    const { answer, body } = await this.#exchange('/api/auth/token', { body: this.shop.login }, agent);
    const integration = { body: this.shop.integration };
    const other = await this.#exchange('/api/authentication/login', integration, agent);
    await agent.destroy();
    if (answer.status === 200) this.#tokens.gateway = (body as { accessToken: string }).accessToken;
    if (other.answer.status === 200)
      this.#tokens.integration = (other.body as { accessToken: string }).accessToken;
    return answer.status === 200 ? other.answer : answer;
  }

  async #tokenize(): Promise<{ readonly answer: Answer; readonly numberToken: string | null }> {
    const { answer, body } = await this.#exchange('/v1/cards/tokenization', {
      token: this.#tokens.gateway,
      body: { cardNumber: TEST_CARD },
    });
    const isGiven = answer.status === 200;
    return { answer, numberToken: isGiven ? (body as [{ numberToken: string }])[0].numberToken : null };
  }

  async #store(): Promise<Answer> {
    const { answer: tokenized, numberToken } = await this.#tokenize();
    if (numberToken === null) return tokenized;
    const beside = { cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
    const { answer, body } = await this.#exchange('/v1/vaults/cards', {
      token: this.#tokens.gateway,
      body: { numberToken, ...beside },
    });
    if (answer.status === 200) this.#vaultId = (body as { vaultId: string }).vaultId;
    return answer;
  }

  #register(): Promise<Answer> {
    const { port } = this.#listener.address() as AddressInfo;
    return this.#ask(this.#ofAccount('/api/webhooks/subscriptions'), {
      token: this.#tokens.integration,
      body: { url: `http://${HOME}:${port}/avisos` },
    });
  }

  #makeSecret(): Promise<Answer> {
    return this.#ask(this.#ofAccount('/api/webhooks/secret'), {
      token: this.#tokens.integration,
      method: 'POST',
    });
  }

  #list(): Promise<Answer> {
    const path = `/v1/payments?referenceTransaction=${randomUUID()}`;
    return this.#ask(path, { token: this.#tokens.gateway });
  }

  #ofAccount(path: string): string {
    return `${path}?accountNumber=${this.shop.accountNumber}`;
  }

  async #ask(path: string, call: Call): Promise<Answer> {
    return (await this.#exchange(path, call)).answer;
  }

  async #exchange(
    path: string,
    { token, body, method }: Call,
    dispatcher = this.#agent,
  ): Promise<{ answer: Answer; body: unknown }> {
    const [what = path] = path.split('?');
    const startedAt = performance.now();
    const answerOf = (status: number | null, lostBy: string | null): Answer => ({
      what,
      status,
      lostBy,
      milliseconds: performance.now() - startedAt,
    });
    try {
      const response = await request(this.#url + path, {
        dispatcher,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        headersTimeout: PATIENCE_MILLISECONDS,
        bodyTimeout: PATIENCE_MILLISECONDS,
      });
      const text = await response.body.text();
      const answer = answerOf(response.statusCode, null);
      return { answer, body: response.statusCode === 200 ? JSON.parse(text) : text };
    } catch (error) {
      const { name, code } = error as Error & { code?: string };
      return { answer: answerOf(null, code ?? name), body: null };
    }
  }
}
