import { rateLimit } from '../../platform/http/rate-limit.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { fairLine } from '../../platform/work/fair-line.ts';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';

/** The name of payers in the queue of merchants; no merchant has it. */
const PAYERS = '';
/** Payers cannot be told apart but by address, so addresses take turns. */
const LINE = { name: 'pages of payers', slots: 3, waiting: 400, longestWaitMilliseconds: 5_000 };
/** Many payers may share one address of a telephone company. */
const PER_SECOND = 20;
const BURST_SECONDS = 3;

/** `SlowDown`: no query was made, and the address may come again after that time. */
export type AskForPayer = <T>(
  address: string,
  ask: (database: Reader) => Promise<T>,
) => Promise<T | SlowDown>;
export type SlowDown = { readonly secondsToWait: number };

/** `now` is in monotonic milliseconds. */
export function openPayersLine(lookUp: LookUp, now = () => performance.now()): AskForPayer {
  const inLine = fairLine(LINE);
  const ofAddress = rateLimit(PER_SECOND, BURST_SECONDS);
  return async (address, ask) => {
    const group = addressGroup(parseAddress(address));
    const secondsToWait = ofAddress.secondsToWait(group, now());
    return secondsToWait > 0 ? { secondsToWait } : inLine(group, () => lookUp(PAYERS, ask));
  };
}
