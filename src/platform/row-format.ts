/** How rows are written as a text: what it begins with, each row, and its content type. */
export type RowFormat<Row> = {
  readonly type: string;
  readonly head: string;
  readonly line: (row: Row) => string;
};

export function linesOf<Row>(rows: readonly Row[], line: (row: Row) => string): string {
  return rows.map((row) => line(row)).join('');
}
