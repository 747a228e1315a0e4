import type { Exchange } from './http-client.ts';
import { type Point, PointFailed, PointSkipped } from './point.ts';

export type PointResult = { readonly sentence: string; readonly lines: readonly string[] } & {
  readonly kind: 'passed' | 'failed' | 'skipped';
};

const LONGEST_TEXT = 600;

/**
 * Looks at every point in turn, also after one that failed, and gives each result as it is there.
 */
export async function* checkPoints<Bench>(
  points: readonly Point<Bench>[],
  bench: Bench,
): AsyncGenerator<PointResult> {
  for (const point of points) yield await checkPoint(point, bench);
}

export async function checkPoint<Bench>(
  { paragraph, sentence, run }: Point<Bench>,
  bench: Bench,
): Promise<PointResult> {
  const named = `${paragraph} ${sentence}`;
  try {
    await run(bench);
    return { sentence, kind: 'passed', lines: [`passed   ${named}`] };
  } catch (error) {
    if (error instanceof PointSkipped)
      return { sentence, kind: 'skipped', lines: [`skipped  ${named}: ${error.message}`] };
    if (!(error instanceof PointFailed)) throw error;
    const lines = [`FAILED   ${named}`, `         expected  ${error.message}`, ...linesOf(error.exchange)];
    return { sentence, kind: 'failed', lines };
  }
}

function linesOf({ method, path, sent, status, body, lostBy }: Exchange): string[] {
  const request = sent === undefined ? '' : ` ${textOf(sent)}`;
  const answer = status === null ? `nothing: ${lostBy}` : `${status} ${textOf(body)}`;
  return [`         sent      ${method} ${path}${request}`, `         came      ${answer}`];
}

/**
 * Reports are kept and passed on: of a card number six digits and four remain, of a security code
 * nothing.
 */
function textOf(value: unknown): string {
  const text = JSON.stringify(value, (name, one) => {
    if (name === 'number' && typeof one === 'string') return `${one.slice(0, 6)}…${one.slice(-4)}`;
    return name === 'securityCode' && one !== null ? '…' : one;
  });
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
