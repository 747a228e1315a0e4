export type RowFormat<Row> = {
  readonly type: string;
  readonly head: string;
  readonly line: (row: Row) => string;
};

export function linesOf<Row>(rows: readonly Row[], line: (row: Row) => string): string {
  return rows.map((row) => line(row)).join('');
}
