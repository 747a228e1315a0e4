type AnswerOf<Call> = Call extends (...asked: never) => Promise<infer Answer> ? Answer : never;
type Ask = (...asked: readonly unknown[]) => Promise<unknown>;
type Unsent<Rest> = (reason: string, rest: Rest) => unknown;

/**
 * What each call of a port answers when it is not made. The last value of a call is its timeout in
 * milliseconds. `Rest` is what is always let through.
 */
export type UnsentAnswers<Port, Rest extends keyof Port> = {
  readonly [Call in Exclude<keyof Port, Rest>]: (
    reason: string,
    rest: Pick<Port, Rest>,
  ) => AnswerOf<Port[Call]>;
};

export type GuardedPort<Port> = {
  /** Sends nothing while `whyNot` gives a reason. */
  gated(port: Port, whyNot: () => string | null): Port;
  /** Limits every call to `most` milliseconds; null for no further limit. */
  timed(port: Port, most: number | null): Port;
  /** Tells what each call asked first, and its answer. */
  observed(port: Port, observe: (asked: unknown, answer: unknown) => void): Port;
  /** Stands for a provider that is not open in this process. */
  readonly absent: Port;
};

export function guardedPort<Port extends object, Rest extends keyof Port>(
  unsent: UnsentAnswers<Port, Rest>,
  absent: { readonly reason: string; readonly rest: Pick<Port, Rest> },
): GuardedPort<Port> {
  const calls = Object.entries(unsent) as [keyof Port, Unsent<Pick<Port, Rest>>][];
  /** A getter of the port stays one. */
  function withCalls(port: Port, around: (ask: Ask, answer: (reason: string) => unknown) => Ask): Port {
    const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(port)) as Port;
    const made = calls.map(([call, answerOf]) => [
      call,
      around(port[call] as Ask, (reason) => answerOf(reason, port)),
    ]);
    return Object.assign(copy, Object.fromEntries(made));
  }
  return {
    gated: (port, whyNot) =>
      withCalls(port, (ask, answer) => async (...asked) => {
        const reason = whyNot();
        return reason === null ? ask(...asked) : answer(reason);
      }),
    timed(port, most) {
      if (most === null) return port;
      const within = (timeout: unknown) => Math.min(Number(timeout), most);
      return withCalls(
        port,
        (ask) =>
          (...asked) =>
            ask(...asked.slice(0, -1), within(asked.at(-1))),
      );
    },
    observed: (port, observe) =>
      withCalls(port, (ask) => async (...asked) => {
        const answer = await ask(...asked);
        observe(asked[0], answer);
        return answer;
      }),
    absent: withCalls(absent.rest as Port, (_ask, answer) => async () => answer(absent.reason)),
  };
}
