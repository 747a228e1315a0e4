import { setTimeout as sleep } from 'node:timers/promises';
import { plainWordsOf } from '../channels/connection-words.ts';

/** Runs a step, and repeats it while the database starts: the step must be repeatable. */
export type WhileDatabaseStarts = <T>(step: () => Promise<T>) => Promise<T>;

export type DatabaseWait = {
  /** How long to wait, from a step's first failure. */
  readonly seconds: number;
  readonly say: (line: string) => void;
  /** On a terminal the wait is reported every second, otherwise once. */
  readonly isTerminal: boolean;
  readonly stopping: AbortSignal;
};

const PAUSE_MILLISECONDS = 100;
const SAY_AGAIN_MILLISECONDS = 1_000;

/** Waits for a starting database or a lost connection. Everything else fails at once. */
export function databaseWait({ seconds, say, isTerminal, stopping }: DatabaseWait): WhileDatabaseStarts {
  return async (step) => {
    let failedAt: number | null = null;
    let saidAt: number | null = null;
    for (;;) {
      try {
        const result = await step();
        if (failedAt !== null) say(`The database is there after ${secondsSince(failedAt)} s.`);
        return result;
      } catch (error) {
        const reason = reasonToWait(error);
        const now = performance.now();
        failedAt ??= now;
        if (reason === null || stopping.aborted || now - failedAt >= seconds * 1_000) throw error;
        const isDue = saidAt === null || (isTerminal && now - saidAt >= SAY_AGAIN_MILLISECONDS);
        if (isDue) {
          saidAt = now;
          say(`Waiting for the database, ${secondsSince(failedAt)} of ${seconds} s: ${reason}`);
        }
        await sleep(PAUSE_MILLISECONDS, undefined, { signal: stopping }).catch(() => {});
      }
    }
  };
}

function secondsSince(moment: number): number {
  return Math.round((performance.now() - moment) / 1_000);
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** 08 connection, 40003 completion unknown, 57P01 to 57P03 stopping or starting, 53300 too many clients. */
const PASSING_STATES = /^(08...|40003|57P0[1-3]|53300)$/;
/** PgBouncer reports everything as 08P01; this one is a fault of its settings. */
const REFUSED_SETTINGS = /^unsupported startup parameter/;
const PASSING_CODES: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
];
/** The driver's messages without a code, for a broken connection or no answer. */
const LOST = /^(Connection terminated|timeout expired|Query read timeout|Client has encountered)/;
/** The program's own errors for a broken connection or no answer, when they have no cause. */
const OURS: readonly string[] = ['DatabaseUnavailable', 'CommitUnknown', 'Overloaded'];
const DEEPEST_CAUSE = 8;

/** Null: waiting does not help (password, database name, rights, a fault of the program). */
export function reasonToWait(error: unknown): string | null {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < DEEPEST_CAUSE; at = at.cause) chain.push(at);
  // The deepest cause decides: outer errors may have been renamed.
  for (const one of chain.reverse()) {
    const { code, syscall } = one as NodeJS.ErrnoException;
    if (typeof code !== 'string') continue;
    // ENOENT of `connect`: the socket of a server that is not up yet. Any other missing file is an error.
    const isPassing =
      SQLSTATE.test(code) && !PASSING_CODES.includes(code)
        ? PASSING_STATES.test(code) && !REFUSED_SETTINGS.test(one.message)
        : PASSING_CODES.includes(code) || (code === 'ENOENT' && syscall === 'connect');
    return isPassing ? one.message || code : null;
  }
  const known =
    chain.find(({ message }) => LOST.test(message)) ?? chain.find(({ name }) => OURS.includes(name));
  return known === undefined ? null : known.message;
}

const UNKNOWN_AUTHORITY: readonly unknown[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];

/** For the person who wrote the address: Node's messages give advice that does not help here. */
export function whyRefused(error: unknown): string {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const words = wordsOf((inner as NodeJS.ErrnoException).code);
    if (words !== null) return words;
  }
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const said = error.message || code || error.name;
  const words = plainWordsOf(code);
  return words === null ? said : `${said} (${words})`;
}

function wordsOf(code: unknown): string | null {
  if (UNKNOWN_AUTHORITY.includes(code))
    return 'the certificate of the database is of an authority that is not known here; name that in the address: sslrootcert=/etc/parcela/database-ca.pem';
  if (code === 'CERT_HAS_EXPIRED')
    return 'the certificate of the database has expired: let its operator renew it';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate of the database is of another name; write the host in the address as its certificate has it';
  return null;
}
