import { parseArgs } from 'node:util';

/**
 * How long and how often to measure; all of it by the environment, so that a short run is a word
 * before the command.
 */
export const ROUNDS = Number(process.env.ROUNDS ?? 5);
export const SECONDS = Number(process.env.SECONDS ?? 8);
export const CONNECTIONS = (process.env.CONNECTIONS ?? '1,32,128').split(',').map(Number);
/** Billings that fall due in the night of `npm run bench -- recurrence night`. */
export const NIGHT = Number(process.env.NIGHT ?? 1_000_000);
/**
 * Names of kinds of payment (bench/load/payment-kinds.ts); empty: those that the command measures
 * by itself.
 */
export const KINDS = (process.env.KINDS ?? '').split(',').filter(Boolean);

const DEFAULT_PAYMENTS = 1_000_000;

/** `--payments N` of `npm run bench -- memory`. */
export function paymentsWanted(): number {
  return countWanted('payments', DEFAULT_PAYMENTS);
}

/** `--name N`, a whole number from one. */
export function countWanted(name: string, otherwise: number): number {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { [name]: { type: 'string', default: String(otherwise) } },
    strict: false,
  });
  const count = Number(values[name]);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name} must be a whole number`);
  return count;
}

/** `--name text`; null without it. */
export function textWanted(name: string): string | null {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { [name]: { type: 'string' } },
    strict: false,
  });
  return typeof values[name] === 'string' ? values[name] : null;
}

/** `--name one`, one of these; without it all of them. */
export function choicesWanted<const Choice extends string>(
  name: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { [name]: { type: 'string' } },
    strict: false,
  });
  if (values[name] === undefined) return choices;
  const wanted = choices.filter((choice) => choice === values[name]);
  if (wanted.length === 0) throw new Error(`--${name} must be one of ${choices.join(', ')}`);
  return wanted;
}
