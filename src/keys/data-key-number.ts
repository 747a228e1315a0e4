import { cellNumber } from '../values/cell.ts';

/** More than a database ever makes: six purposes, each with a new one every day, for a thousand years. */
const NUMBERS_OF_A_CELL = 2_000_000;

/**
 * The number of a data key that is the next of its database. Each cell has a block of its own, so that no
 * two databases ever have one number: rows may move between them with what sealed them.
 */
export function dataKeyNumber(cell: string | null, next: number): number {
  if (next >= NUMBERS_OF_A_CELL) throw new Error('this database has made all the data keys that it may');
  return cellNumber(cell) * NUMBERS_OF_A_CELL + next;
}

/**
 * Whether a database whose newest data key has this number may be of the cell. Numbers without a cell say
 * nothing: a database may get its cell later.
 */
export function mayBeOfCell(dataKeyId: number, cell: string | null): boolean {
  return dataKeyId < NUMBERS_OF_A_CELL || Math.floor(dataKeyId / NUMBERS_OF_A_CELL) === cellNumber(cell);
}
