import type { AuthorizationAnswer, CaptureAnswer, Preauthorized } from './acquirer.ts';

/** The authorization's part of the time for both: a capture has no issuer to wait for. */
const PART_TO_AUTHORIZE = 0.75;

/**
 * Authorizes, and captures only what was answered: an authorization whose answer is lost is never captured,
 * so it charges nothing. A capture without an answer is unknown, and is voided or found as any charge.
 */
export async function chargeInTwoSteps(
  authorize: (timeoutMilliseconds: number) => Promise<AuthorizationAnswer>,
  capture: (approval: Preauthorized, timeoutMilliseconds: number) => Promise<CaptureAnswer>,
  timeoutMilliseconds: number,
): Promise<AuthorizationAnswer> {
  const endsAt = performance.now() + timeoutMilliseconds;
  const answer = await authorize(timeoutMilliseconds * PART_TO_AUTHORIZE);
  if (answer.kind !== 'preauthorized') return answer;
  const captured = await capture(answer, endsAt - performance.now());
  if (captured.kind === 'captured') return { ...answer, kind: 'approved' };
  const { reason } = captured;
  return { kind: 'unknown', reason: `it was authorized, and not captured: ${reason}` };
}
