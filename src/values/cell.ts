const CELL = /^[a-z][a-z0-9]$/;
const SECOND = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A cell is a database whose processes serve some of the merchants. Its name: a letter, and a letter or
 * digit.
 */
export function isCell(text: string): boolean {
  return CELL.test(text);
}

/** Puts the cell's name before `made`, so that a proxy can route by it. `cell` null: there are no cells. */
export function inCell(cell: string | null, made: string): string {
  return cell === null ? made : `${cell}.${made}`;
}

/** A number from 1 to 936, different for each name; 0 if there are no cells. */
export function cellNumber(cell: string | null): number {
  if (cell === null) return 0;
  const [first = '', second = ''] = cell;
  return 1 + SECOND.indexOf(first) * SECOND.length + SECOND.indexOf(second);
}
