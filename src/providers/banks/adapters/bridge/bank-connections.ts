import type { Asked, Question } from '../../../../platform/channels/ask-once.ts';
import { type Channel, SharedPool } from '../../../../platform/channels/open-channel.ts';
import type { CallAnswer, Operation } from '../../../../platform/process-reports/peer-calls.ts';
import type { Wanted } from '../../../../platform/work/fair-line.ts';

const REGISTERING_CONNECTIONS = 32;
const RESOLVING_CONNECTIONS = 8;
/** The fair line's key for requests about all merchants. */
const ALL_MERCHANTS = '';
/** The share of a call's time for finding out which bank it is. */
const PART_FOR_ABOUT = 1 / 2;

export type BankOptions = {
  /** Whether nothing is sent to a bank that does not say that it is no simulator. */
  readonly isRealOnly: boolean;
  readonly observe: (operation: Operation, answer: CallAnswer, seconds: number) => void;
};

/** `bankCode`: that of the bank that answered; empty if nothing was sent. */
type AskedBank = { readonly answer: Asked; readonly bankCode: string };

/** Identifies the bank before anything else is sent: a bar code is checked with the bank's code. */
export class BankConnections {
  readonly #prefix: string;
  readonly #channel: Channel;
  readonly #observe: BankOptions['observe'];
  readonly #known: KnownBank;
  readonly #registering: SharedPool;
  /** A separate pool: unanswered registrations must not keep their outcome from being found. */
  readonly #resolving: SharedPool;

  constructor(url: string, channel: Channel, { isRealOnly, observe }: BankOptions) {
    const { origin, pathname } = new URL(url);
    this.#prefix = pathname.replace(/\/$/, '');
    this.#channel = channel;
    this.#observe = observe;
    this.#known = new KnownBank(isRealOnly);
    this.#registering = new SharedPool('bank', origin, channel, REGISTERING_CONNECTIONS);
    this.#resolving = new SharedPool('bank', origin, channel, RESOLVING_CONNECTIONS);
  }

  /** Empty until the bank is identified. */
  get bankCode(): string {
    return this.#known.about?.bankCode ?? '';
  }

  /** null for requests about all merchants. */
  wantedBy(merchantId: string | null): Wanted {
    return { merchantId: merchantId ?? ALL_MERCHANTS };
  }

  readonly asking = (method: 'GET' | 'POST', path: string, body?: object): Question => ({
    method,
    path: this.#prefix + path,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { ...this.#channel.headers(), ...PROTOCOL_HEADER },
  });

  /** Reports the duration and the kind of answer. */
  readonly observed = async <A extends { readonly kind: string }>(
    operation: Operation,
    asked: Promise<A>,
  ): Promise<A> => {
    const startedAt = performance.now();
    const answer = await asked;
    this.#observe(operation, answer, (performance.now() - startedAt) / 1_000);
    return answer;
  };

  async identify(merchantId: string | null, timeout: number): Promise<Identified> {
    const { about } = this.#known;
    if (about !== null) return { kind: 'known', about };
    const asked = this.#resolving.ask(this.wantedBy(merchantId), this.asking('GET', '/about'), timeout);
    const { identified } = await this.observed('about', asked.then(this.#known.read));
    return identified;
  }

  register(wanted: Wanted, question: Question, timeout: number): Promise<AskedBank> {
    return this.#ask(wanted, timeout, (_code, rest) => this.#registering.ask(wanted, question, rest));
  }

  /** `questionTo` makes the request for the bank with this code. */
  lookUp(
    wanted: Wanted,
    questionTo: (bankCode: string) => Question,
    timeout: number,
    largestBytes?: number,
  ): Promise<AskedBank> {
    return this.#ask(wanted, timeout, (code, rest) =>
      this.#resolving.ask(wanted, questionTo(code), rest, largestBytes),
    );
  }

  close(): Promise<unknown> {
    return Promise.all([this.#registering.destroy(), this.#resolving.destroy()]);
  }

  /** Identifies the bank first; if that fails, nothing is sent. */
  async #ask(
    wanted: Wanted,
    timeout: number,
    send: (bankCode: string, rest: number) => Promise<Asked>,
  ): Promise<AskedBank> {
    const startedAt = performance.now();
    const identified = await this.identify(wanted.merchantId, timeout * PART_FOR_ABOUT);
    if (identified.kind !== 'known') {
      const kind = identified.kind === 'away' ? 'notConnected' : 'notSent';
      return { answer: { kind, reason: identified.reason }, bankCode: '' };
    }
    const { bankCode } = identified.about;
    return { answer: await send(bankCode, timeout - (performance.now() - startedAt)), bankCode };
  }
}

/** Our version of the protocol, sent with every request. */
const PROTOCOL = 1;
const PROTOCOL_HEADER: Readonly<Record<string, string>> = { 'parcela-protocol': String(PROTOCOL) };

type BankAbout = {
  /** Whether the bridge says that real people pay its boletos. */
  readonly isReal: boolean;
  readonly name: string;
  /** The first three digits of its bar codes. */
  readonly bankCode: string;
};

/** Returns what `/about` reports, or what is wrong with it, as the end of a sentence about the bridge. */
function readBankAbout(body: unknown): BankAbout | string {
  const { protocol, name, bankCode, simulator } = Object(body) as Record<string, unknown>;
  if (protocol !== PROTOCOL) return `speaks protocol ${JSON.stringify(protocol)}, not ${PROTOCOL}`;
  if (typeof name !== 'string' || !/^[^\p{Cc}]{1,64}$/u.test(name)) return 'has no name';
  if (typeof bankCode !== 'string' || !/^\d{3}$/.test(bankCode)) return 'has no bank code of three digits';
  return { isReal: simulator === false, name, bankCode };
}

/** `away`: the bank does not identify itself now. `unfit`: it must not be asked. */
export type Identified =
  | { readonly kind: 'known'; readonly about: BankAbout }
  | { readonly kind: 'away'; readonly reason: string }
  | { readonly kind: 'unfit'; readonly reason: string };

/** `kind`: of the call. An answer that does not identify the bank is no clear one. */
type ReadAbout = { readonly kind: Asked['kind']; readonly reason?: string; readonly identified: Identified };

/** Remembers the bank's identity once it is known. Another bank needs a restart. */
class KnownBank {
  about: BankAbout | null = null;
  readonly #isRealOnly: boolean;

  constructor(isRealOnly: boolean) {
    this.#isRealOnly = isRealOnly;
  }

  readonly read = (answer: Asked): ReadAbout => {
    const identified = this.#identify(answer);
    if (identified.kind === 'known') return { kind: 'answer', identified };
    const kind = answer.kind === 'answer' ? 'unknown' : answer.kind;
    return { kind, reason: identified.reason, identified };
  };

  #identify(answer: Asked): Identified {
    if (answer.kind !== 'answer') return { kind: 'away', reason: answer.reason };
    if (answer.status !== 200)
      return { kind: 'away', reason: `the bank answered ${answer.status} at /about` };
    const read = readBankAbout(answer.body);
    if (typeof read === 'string') return { kind: 'unfit', reason: `the bank ${read}` };
    if (this.#isRealOnly && !read.isReal)
      return { kind: 'unfit', reason: 'the bank does not say that it is no simulator' };
    this.about = read;
    return { kind: 'known', about: read };
  }
}
