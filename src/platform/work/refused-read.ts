import { DatabaseUnavailable, isWorthAnotherTry } from '../postgres/database-errors.ts';
import { Overloaded } from './fair-line.ts';

/** Overload, or a database that is away or slow: a repetition may soon succeed. Nothing had an effect. */
export function isRefusedNow(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || error instanceof Overloaded || isWorthAnotherTry(error);
}

/** For one of several parts that are shown together; null: refused now. */
export async function unlessRefused<Part>(read: () => Promise<Part>): Promise<Part | null> {
  try {
    return await read();
  } catch (error) {
    if (isRefusedNow(error)) return null;
    throw error;
  }
}
