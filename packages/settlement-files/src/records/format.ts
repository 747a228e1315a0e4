import type { FileReading, Findings } from './findings.ts';
import type { CodeTable, RecordLayout } from './fixed-width.ts';

export type FormatLayout = {
  readonly title: string;
  /** Order of records and totals that must agree, in paragraphs. */
  readonly rules: readonly string[];
  /** So many characters at the start of a line name its record. */
  readonly typeLength: number;
  /** Trailing blanks are ignored; with `isTailFree` any trailing text. */
  readonly longestLine: number;
  readonly isTailFree: boolean;
  readonly records: readonly RecordLayout[];
  readonly alike: Readonly<Record<string, { readonly as: string; readonly title: string }>>;
  readonly leftOut: CodeTable;
};

/** A kind of file: its name, how its first line is recognized, its fields, and its reader. */
export type Format<Name extends string = string> = FormatLayout & {
  readonly format: Name;
  /** Its files report payouts; other formats only report sales. */
  readonly pays: boolean;
  /** One is expected of each business day. */
  readonly isDaily: boolean;
  readonly isHeader: (line: string) => boolean;
  readonly open: (findings: Findings) => FileReading;
};
