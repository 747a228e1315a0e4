import { DatabaseUnavailable, isWorthAnotherTry } from '../postgres/database-errors.ts';
import { Overloaded } from './fair-line.ts';

/** Too much is asked for, or the database is away or slow: it may succeed soon. Has no effect. */
export function isRefusedNow(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || error instanceof Overloaded || isWorthAnotherTry(error);
}

/** Null: it was refused now. For parts of what is shown together. */
export async function unlessRefused<Part>(read: () => Promise<Part>): Promise<Part | null> {
  try {
    return await read();
  } catch (error) {
    if (isRefusedNow(error)) return null;
    throw error;
  }
}
