import {
  clockAheadSeconds,
  LARGE_SKEW_SECONDS,
  SMALL_SKEW_SECONDS,
  skewText,
} from '../../platform/clock-skew.ts';

export type Diagnosis = {
  /** A stable name for programs: `database.unreachable`. */
  readonly name: string;
  /** `fault`: the service would not start, or money or a merchant would wait. */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly says: string;
  readonly advice: string | null;
};

export function fine(name: string, says: string): Diagnosis {
  return { name, state: 'ok', says, advice: null };
}

export function warning(name: string, says: string, advice: string): Diagnosis {
  return { name, state: 'warning', says, advice };
}

export function fault(name: string, says: string, advice: string): Diagnosis {
  return { name, state: 'fault', says, advice };
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return error.message || code || error.name;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there',
  ECONNRESET: 'it broke the connection',
  UND_ERR_SOCKET: 'it broke the connection',
  EPIPE: 'it broke the connection',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ETIMEDOUT: 'nothing answers',
  TimeoutError: 'no answer came in time',
  UND_ERR_CONNECT_TIMEOUT: 'nothing answers',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to it',
  ENOTFOUND: 'there is no such name',
  EAI_AGAIN: 'no name server answers',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is of an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
};

/** Keeps the code itself, which people search for. */
export function wordsOf(code: string): string {
  const words = WORDS[code];
  return words === undefined ? code : `${words}: ${code}`;
}

/** `slack`: uncertainty of the reading, which is taken between two readings of our clock. */
export function judgeClock(
  name: string,
  whose: string,
  theirs: number,
  ours: { readonly before: number; readonly after: number },
  slackSeconds = 0,
): Diagnosis {
  const ahead = clockAheadSeconds(theirs, ours);
  const seconds = Math.abs(ahead) - slackSeconds;
  if (seconds < SMALL_SKEW_SECONDS) return fine(name, `the clock of ${whose} goes as ours does`);
  const says = `the clock of ${whose} is ${skewText(Math.sign(ahead) * seconds)}`;
  const advice = 'let both follow a time server (chrony, systemd-timesyncd)';
  return seconds < LARGE_SKEW_SECONDS ? warning(name, says, advice) : fault(name, says, advice);
}
