import type { Field } from '../../src/console/parts/page-parts.ts';
import type { Visit } from '../../src/console/parts/screen.ts';

export type Step = {
  readonly outcome?: string | null;
  readonly responseCode?: string | null;
  readonly fault?: string | null;
  readonly delayMilliseconds?: number;
  readonly undoRefusals?: number;
  readonly notFoundTimes?: number;
};
export type Cancel = { readonly afterDays: number; readonly fails: boolean };
export type Script = { readonly steps: readonly Step[]; readonly cancels: readonly Cancel[] };

export const SCRIPT_PATH = '/homologation/acquirer/script';

export const ANSWERS: Readonly<Record<string, { readonly text: string; readonly step: Step }>> = {
  approved: { text: 'Approves', step: { outcome: 'approved' } },
  funds: { text: 'Declines: no funds (51)', step: { outcome: 'declined', responseCode: '51' } },
  expired: { text: 'Declines: card expired (54)', step: { outcome: 'declined', responseCode: '54' } },
  lost: { text: 'Declines: card lost (41)', step: { outcome: 'declined', responseCode: '41' } },
  silent: { text: 'Is silent, and books nothing', step: { fault: 'silent' } },
  booksButSilent: { text: 'Books the charge, and is silent', step: { fault: 'booksButSilent' } },
  late: { text: 'Books the charge, and answers too late', step: { fault: 'late' } },
  garbage: { text: 'Books the charge, and answers garbage', step: { fault: 'garbage' } },
  reset: { text: 'Books the charge, and resets the connection', step: { fault: 'reset' } },
  wrongAmount: { text: 'Answers another amount', step: { fault: 'wrongAmount' } },
  wrongReference: { text: 'Answers of another charge', step: { fault: 'wrongReference' } },
  duplicate: { text: 'Answers twice', step: { fault: 'duplicate' } },
  slow: { text: 'Works on it for ten seconds', step: { delayMilliseconds: 10_000 } },
  notFound: {
    text: 'Is silent, and does not find it three times',
    step: { fault: 'booksButSilent', notFoundTimes: 3 },
  },
  undoRefused: {
    text: 'Is silent, and refuses to void it three times',
    step: { fault: 'booksButSilent', undoRefusals: 3 },
  },
};

/** Drops empty fields, as the endpoint does. */
export const plain = (step: Step): Step =>
  Object.fromEntries(Object.entries(step).filter(([, value]) => value !== null && value !== 0));

export function stepText(step: Step, { wording: { say } }: Visit): string {
  const wanted = JSON.stringify(plain(step));
  const known = Object.values(ANSWERS).find((one) => JSON.stringify(plain(one.step)) === wanted);
  return known === undefined ? wanted : say(known.text);
}

export const answerField = ({ wording: { say } }: Visit, isOptional = false): Field => ({
  name: 'answer',
  label: say('The acquirer'),
  choices: [
    ...(isOptional ? [['', say('As amount and card decide')] as const] : []),
    ...Object.entries(ANSWERS).map(([name, { text }]) => [name, say(text)] as const),
  ],
});
