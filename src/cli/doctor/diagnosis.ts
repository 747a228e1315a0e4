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

/** `theirs` is read between the two readings of our clock. `slackSeconds`: how uncertain it is. */
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
