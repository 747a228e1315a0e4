import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { WebhookFault } from './script-step.ts';
import type { Tls } from './tls-files.ts';

/** What waits beyond these is lost. */
const MOST_WAITING = 10_000;
const MOST_AT_ONCE = 64;
const MOST_REMEMBERED = 1_000;
const MOST_TRIES = 5;
const DEADLINE_MILLISECONDS = 5_000;
const FIRST_PAUSE_MILLISECONDS = 500;
const LATE_MILLISECONDS = 1_000;
const GARBAGE = '{"pix":[{"endToEndId"';

/** What was told, or lost; `statuses`: what each try was answered, 0 for nothing. */
export type Told = {
  readonly clientId: string;
  readonly url: string;
  readonly body: string;
  readonly fault: WebhookFault | null;
  readonly statuses: number[];
};

/** Tells receivers what happened: tried a few times, and forgotten at a restart, as a bank may. */
export class WebhookSender {
  readonly #tls: Tls | null;
  readonly #told: Told[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(tls: Tls | null) {
    this.#tls = tls;
  }

  toldTo(clientId: string): readonly Told[] {
    return this.#told.filter((told) => told.clientId === clientId);
  }

  send(message: { clientId: string; url: string; body: string }, fault: WebhookFault | null): void {
    const told: Told = {
      ...message,
      body: fault === 'garbage' ? GARBAGE : message.body,
      fault,
      statuses: [],
    };
    this.#told.push(told);
    if (this.#told.length > MOST_REMEMBERED) this.#told.shift();
    if (fault === 'lost') return;
    for (let times = fault === 'repeated' ? 2 : 1; times > 0; times -= 1)
      this.#after(fault === 'late' ? LATE_MILLISECONDS : 0, () => this.#try(told, 1));
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#waiting.length = 0;
  }

  #try(told: Told, tries: number): void {
    if (this.#underWay >= MOST_AT_ONCE) {
      if (this.#waiting.length < MOST_WAITING) this.#waiting.push(() => this.#try(told, tries));
      return;
    }
    this.#underWay += 1;
    post(told, this.#tls, (status) => {
      this.#underWay -= 1;
      told.statuses.push(status);
      const isTaken = status >= 200 && status < 300;
      if (!isTaken && tries < MOST_TRIES)
        this.#after(FIRST_PAUSE_MILLISECONDS * 2 ** (tries - 1), () => this.#try(told, tries + 1));
      this.#waiting.shift()?.();
    });
  }

  #after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, milliseconds);
    timer.unref();
    this.#timers.add(timer);
  }
}

/** Gives the status, or 0 where there was no answer in time. */
function post({ url, body }: Told, tls: Tls | null, onStatus: (status: number) => void): void {
  const address = new URL(url);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const options = { method: 'POST', headers, signal: AbortSignal.timeout(DEADLINE_MILLISECONDS) };
  const asked =
    address.protocol === 'https:'
      ? requestHttps(address, { ...options, ...tls })
      : requestHttp(address, options);
  let isKnown = false;
  const know = (status: number) => {
    if (isKnown) return;
    isKnown = true;
    onStatus(status);
  };
  asked.on('error', () => know(0));
  asked.on('response', (response) => {
    response.resume();
    response.on('error', () => know(0));
    response.on('end', () => know(response.statusCode ?? 0));
  });
  asked.end(body);
}
