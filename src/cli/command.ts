import type { Database } from '../platform/postgres/database.ts';

/** Who sits at the command line, as the audit log names them. */
export type Operator = { readonly actor: string; readonly origin: string };

export type CommandTools = {
  readonly database: Database;
  readonly environment: 'homologation' | 'production';
  readonly operator: Operator;
};

export type CommandOption = {
  /** Without the dashes. */
  readonly name: string;
  /** What stands after it in the help. */
  readonly value: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
  /** Gives what is wrong with a value before the command runs, or null. */
  readonly check?: (value: string) => string | null;
};

/** The options as they were given, checked for presence. */
export type GivenOptions = {
  readonly one: (name: string) => string | null;
  readonly many: (name: string) => readonly string[];
};

export type CommandOutcome =
  | { readonly ok: true; readonly lines: readonly string[]; readonly json: unknown }
  | { readonly ok: false; readonly option: string | null; readonly message: string };

export type Command = {
  readonly words: readonly [string, string];
  readonly summary: string;
  readonly options: readonly CommandOption[];
  readonly run: (given: GivenOptions, tools: CommandTools) => Promise<CommandOutcome>;
};

/** Columns of equal width under their names. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [names, ...rows];
  const widths = names.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
