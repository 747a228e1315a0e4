import type { FileFault } from './file-faults.ts';
import type { FileRow, RowKind } from './file-rows.ts';

/** What a file of a day is made of. */
export type FileContent = {
  readonly merchantId: string;
  readonly day: string;
  /** Rises by one from day to day. */
  readonly sequence: number;
  readonly rows: readonly FileRow[];
  readonly isTrailerBroken: boolean;
};

export type FileWriter = {
  /** In which rows an ordered fault is. */
  readonly faultIn: RowKind;
  readonly faults: readonly FileFault[];
  /** The rows that the format has, put together as it has them. */
  readonly ownRows: (rows: readonly FileRow[]) => readonly FileRow[];
  readonly nameOf: (content: FileContent) => string;
  readonly linesOf: (content: FileContent) => Iterable<string>;
};

/** A broken trailer counts a record too many. */
export function countedRecords(records: number, { isTrailerBroken }: FileContent): number {
  return isTrailerBroken ? records + 1 : records;
}

/** A cancellation as a row for each installment that it was taken off. */
export function byInstallment(rows: readonly FileRow[]): FileRow[] {
  return rows.flatMap((row) =>
    row.kind !== 'cancel'
      ? [row]
      : row.taken.map((taken) => {
          const { installmentNumber, amount } = taken;
          return { ...row, installmentNumber, gross: amount, net: amount, taken: [taken] };
        }),
  );
}

/** The groups in the order of their first members. */
export function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
