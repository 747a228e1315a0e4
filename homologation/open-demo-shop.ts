import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { openShop as OpenShop } from '#shop';
import type { Answer } from '../src/platform/http/endpoint.ts';
import { FAILURES, tooManyAnswer, unavailableAnswer } from '../src/platform/http/failures.ts';
import { rateLimit } from '../src/platform/http/rate-limit.ts';
import { refusalAnswer } from '../src/platform/http/refusal.ts';
import { errorFields, type Log } from '../src/platform/log.ts';
import type { PageAnswer, PageRequest, Pages } from '../src/platform/web-pages/page-routes.ts';
import { addressGroup, parseAddress } from '../src/values/ip-address.ts';
import type { Demo } from './create-demo-merchant.ts';

type Shop = ReturnType<typeof OpenShop>;

const PREFIX = '/demo';
const NOTIFICATIONS = '/notifications';
/** Of its calls: a stop waits for them. */
const PATIENCE_MILLISECONDS = 15_000;
/** Each waits for calls of the API. */
const MOST_AT_ONCE = 20;
/** What it reads of its visitors' headers. */
const HEADERS_READ = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** `open`: the demo merchant is there; until then nobody is answered. */
export type DemoShop = { readonly pages: Pages; readonly open: (demoFile: string) => void };

type ShopTools = {
  readonly log: Log;
  /** Null: nobody pays a Pix on request. */
  readonly pixSimulatorUrl: string | null;
  /** Where buyers and users are; null: on this machine. */
  readonly pagesOrigin: string | null;
  readonly consoleOrigin: string | null;
  /** Whether this machine may be called. */
  readonly takesLoopback: boolean;
};

/** A merchant's program, run as it stands in the docs: no bundle takes it in, nor the client that it uses. */
export function openDemoShop(tools: ShopTools): DemoShop {
  let demoFile: string | null = null;
  let opened: Promise<Shop> | null = null;
  let atOnce = 0;
  const secondsToWait = openLimits();
  async function answer(request: PageRequest): Promise<Answer> {
    const seconds = secondsToWait(request);
    if (seconds > 0) return tooManyAnswer(seconds, request.language);
    if (demoFile === null || atOnce >= MOST_AT_ONCE) return unavailableAnswer('overloaded', request.language);
    opened ??= openProgram(tools, demoFile).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    atOnce += 1;
    try {
      return await answerOf(await (await opened)(requestOf(request)));
    } finally {
      atOnce -= 1;
    }
  }
  return {
    open(file) {
      demoFile = file;
    },
    pages: {
      prefix: PREFIX,
      bodyTypes: ['application/x-www-form-urlencoded', 'application/json'],
      answer: async (request): Promise<PageAnswer> => ({ ...(await answer(request)), route: PREFIX }),
      failed: (failure, language) => refusalAnswer(FAILURES[failure], language),
    },
  };
}

/** Visitors show no token: an address has so much, and all together what the demo merchant can spare. */
function openLimits() {
  const [reads, allReads, deliveries, writes, allWrites] = [
    rateLimit(10, 6),
    rateLimit(50, 6),
    rateLimit(50),
    rateLimit(1, 20),
    rateLimit(5, 10),
  ];
  return ({ method, path, address, startedAt }: PageRequest): number => {
    const group = addressGroup(parseAddress(address));
    if (method === 'GET')
      return reads.secondsToWait(group, startedAt) || allReads.secondsToWait('all', startedAt);
    if (path === NOTIFICATIONS) return deliveries.secondsToWait(group, startedAt);
    return writes.secondsToWait(group, startedAt) || allWrites.secondsToWait('all', startedAt);
  };
}

async function openProgram({ log, pixSimulatorUrl, ...tools }: ShopTools, demoFile: string): Promise<Shop> {
  const demo = JSON.parse(await readFile(demoFile, 'utf8')) as Demo;
  const [{ openShop }, { openParcela }] = await Promise.all([import('#shop'), import('#client')]);
  // Of another database it is another one. `server.js` keeps it there too.
  const secretFile = join(dirname(demoFile), `shop-secret.${encodeURIComponent(demo.integration.userName)}`);
  const here = new URL(demo.gatewayUrl).origin;
  const merchant = `${tools.consoleOrigin ?? demoOrigin(here)}/console/merchants/${demo.merchantId}`;
  return openShop({
    parcela: openParcela({
      url: demo.gatewayUrl,
      integrationUrl: demo.integrationUrl,
      logins: { gateway: demo.gateway, recurrence: demo.recurrence, integration: demo.integration },
      patienceMilliseconds: PATIENCE_MILLISECONDS,
    }),
    accountNumber: demo.accountNumber,
    publicUrl: addressOfShop(tools.pagesOrigin, here),
    notifyUrl: (tools.takesLoopback ? here : (tools.pagesOrigin ?? here)) + PREFIX + NOTIFICATIONS,
    secret: await readFile(secretFile, 'utf8').catch(() => null),
    keepSecret: (secret) => writeFile(secretFile, secret, { mode: 0o600 }),
    trial: { pixPayerUrl: pixSimulatorUrl, consolePayments: `${merchant}/payments` },
    report: (error) => log.warn(errorFields(error), 'the demo shop could not answer'),
  });
}

export function addressOfShop(pagesOrigin: string | null, gatewayUrl: string): string {
  return (pagesOrigin ?? demoOrigin(gatewayUrl)) + PREFIX;
}

/** Passkeys need a host name, and who goes from page to page should stay with one. */
export function demoOrigin(url: string): string {
  return new URL(url).origin.replace('//127.0.0.1:', '//localhost:');
}

/** Its own address and the prefix alone are of the shop: what host a visitor names says nothing to it. */
function requestOf({ method, path, search, headers, form }: PageRequest): Request {
  const known = HEADERS_READ.map((name) => [name, headers[name]]).filter(([, value]) => value !== undefined);
  return new Request(new URL(PREFIX + (path === '/' ? '' : path) + search, 'http://shop.invalid'), {
    method,
    headers: known as [string, string][],
    ...(method === 'POST' && { body: form }),
  });
}

async function answerOf(response: Response): Promise<Answer> {
  const { 'content-type': type, ...headers } = Object.fromEntries(response.headers);
  const { status } = response;
  const content = await response.text();
  return { status, headers, ...(type !== undefined && { text: { content, type } }) };
}
