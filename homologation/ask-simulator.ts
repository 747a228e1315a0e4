type Question = {
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Set: a POST. */
  readonly body?: object;
  /** Statuses that the caller reads besides success. */
  readonly refusals?: readonly number[];
  readonly timeoutMilliseconds?: number;
};

const USUAL_TIMEOUT_MILLISECONDS = 5_000;

/** Throws when the simulator does not answer, or answers another failure. */
export async function askSimulator(
  simulatorUrl: string,
  path: string,
  { query = {}, body, refusals = [], timeoutMilliseconds = USUAL_TIMEOUT_MILLISECONDS }: Question,
): Promise<Response> {
  const url = new URL(path, simulatorUrl);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  const response = await fetch(url, {
    signal: AbortSignal.timeout(timeoutMilliseconds),
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok && !refusals.includes(response.status))
    throw new Error(`the simulator answered ${response.status} to ${path}`);
  return response;
}
