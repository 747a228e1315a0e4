import { type Dispatcher, request } from 'undici';
import type { DemoLogin } from '../../homologation/create-demo-merchant.ts';
import { paymentRequest, TEST_CARD } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openPairSetup, type PairSetup } from './pair-setup.ts';
import { type ProxyName, type RunningProxy, startProxy } from './proxies.ts';

export type RollingOptions = {
  readonly restarts: number;
  readonly perSecond: number;
  /** How long a process drains; three checks of a proxy at least. */
  readonly drainSeconds: number;
  /** Aborted: no further restart. */
  readonly signal?: AbortSignal;
  readonly onRestart?: (done: number, payments: number) => void;
};

export type RollingReport = {
  readonly payments: number;
  readonly requests: number;
  /** What each request that failed was answered, and what the proxy wrote; nothing when none did. */
  readonly failures: readonly string[];
  /** Approved in the database. */
  readonly approved: number;
};

/** A merchant's client: JSON over TLS, connections kept. */
export function clientOf(proxy: RunningProxy, token: string | null = null) {
  return async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const options: Parameters<typeof request>[1] & { dispatcher: Dispatcher } = {
      method: 'POST',
      dispatcher: proxy.agent,
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify(body),
    };
    const answer = await request(proxy.url + path, options);
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };
}

export async function logInThrough(proxy: RunningProxy, login: DemoLogin): Promise<string> {
  const { status, text } = await clientOf(proxy)('/api/auth/token', login);
  if (status !== 200) throw new Error(`the login was answered ${status}: ${text}`);
  return (JSON.parse(text) as { accessToken: string }).accessToken;
}

/**
 * Restarts two processes in turn behind a proxy while payments come in at an even rate, and counts
 * what failed.
 */
export async function restartInTurn(name: ProxyName, options: RollingOptions): Promise<RollingReport> {
  const service = await openPairSetup({ PARCELA_DRAIN_SECONDS: String(options.drainSeconds) });
  try {
    const proxy = await startProxy(name, service.folder, service.ports);
    try {
      return await payWhile(service, proxy, options);
    } finally {
      await proxy.stop();
    }
  } finally {
    await service.close();
  }
}

/** On a busy machine checks of a proxy fail, and payments that are late are served first. */
const FOUND_MILLISECONDS = 120_000;

/**
 * Of either kind: a proxy that takes turns may send all tokens to one process and all payments to
 * the other.
 */
async function hasRequests(metricsUrl: string): Promise<boolean> {
  const metrics = await (await fetch(metricsUrl)).text();
  return /_count\{[^}]*http_request_method="POST"[^}]*http_route="\/v1\/(payments|cards\/tokenization)"/.test(
    metrics,
  );
}

async function payWhile(
  service: PairSetup,
  proxy: RunningProxy,
  options: RollingOptions,
): Promise<RollingReport> {
  const send = clientOf(proxy, await logInThrough(proxy, service.demo.gateway));
  const failures: string[] = [];
  const paying = new Set<Promise<void>>();
  let payments = 0;
  let requests = 0;
  const ask = async (path: string, body: unknown) => {
    requests += 1;
    const answer = await send(path, body).catch((error: Error) => ({
      status: 0,
      text: String(error.cause ?? error),
    }));
    if (answer.status === 200) return JSON.parse(answer.text);
    failures.push(`${new Date().toISOString()} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return null;
  };
  const pay = async () => {
    const tokens = await ask('/v1/cards/tokenization', { cardNumber: TEST_CARD });
    if (tokens !== null) await ask('/v1/payments', paymentRequest(tokens[0].numberToken, 12_990));
  };
  // An open load: a payment begins whether or not those before it are answered.
  const beginning = setInterval(() => {
    payments += 1;
    const one = pay().finally(() => paying.delete(one));
    paying.add(one);
  }, 1_000 / options.perSecond);
  try {
    for (let done = 0; done < options.restarts && options.signal?.aborted !== true; done += 1) {
      const which = done % 2 === 0 ? 0 : 1;
      await service.restart(which);
      // The other goes only when the proxy sends to this one again.
      await until(
        'the proxy has found the new process',
        () => hasRequests(service.services[which].metricsUrl),
        FOUND_MILLISECONDS,
      );
      options.onRestart?.(done + 1, payments);
    }
  } finally {
    clearInterval(beginning);
    await Promise.all(paying);
  }
  const [row] = await service.auditor.query(
    `select count(*)::int as "count" from transactions where state = 'approved'`,
  );
  const reported = failures.length > 0 ? [...failures, proxy.said()] : [];
  return { payments, requests, failures: reported, approved: row?.count as number };
}
