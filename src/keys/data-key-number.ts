import { cellNumber } from '../values/cell.ts';

/** More than a database ever makes: six purposes, each with a new key every day, for a thousand years. */
const NUMBERS_OF_A_CELL = 2_000_000;

/** Each cell has its own block of numbers, so that sealed rows can move between databases. */
export function dataKeyNumber(cell: string | null, next: number): number {
  if (next >= NUMBERS_OF_A_CELL) throw new Error('this database has made all the data keys that it may');
  return cellNumber(cell) * NUMBERS_OF_A_CELL + next;
}

/** Whether a database with this newest key may belong to the cell. Numbers without a cell fit any cell. */
export function mayBeOfCell(dataKeyId: number, cell: string | null): boolean {
  return dataKeyId < NUMBERS_OF_A_CELL || Math.floor(dataKeyId / NUMBERS_OF_A_CELL) === cellNumber(cell);
}
