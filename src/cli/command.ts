import type { Configuration } from '../app/config.ts';
import { type Actor, type Audit, LONGEST_REASON } from '../audit/audit-event.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { KeyStoreSettings } from '../keys/key-store-settings.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { DatabasePlace } from '../platform/postgres/database-place.ts';
import { holdsCardNumber, holdsCpfOrEmail } from '../values/card-number-in-text.ts';
import { cents, reaisText } from '../values/cents.ts';

export type CommandTools = {
  readonly database: Database;
  readonly environment: 'homologation' | 'production';
  readonly cell: string | null;
  readonly operator: Actor;
  readonly acquirer: AcquirerPlace;
  /** Prints a line on the progress of the command. */
  readonly report: (line: string) => void;
};

export type AcquirerPlace = {
  /** Null: the simulator. */
  readonly url: string | null;
  /** Of its ledger; null: there is none, as in production. */
  readonly simulatorFolder: string | null;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
  /** For how many days what was authorized waits for its capture. */
  readonly captureDays: number;
};

/** For audited commands: the audit log is sealed, so these need the keys. */
export type AuditedCommandTools = CommandTools & { readonly keyring: Keyring; readonly audit: Audit };

export type AuditedKeyTools = AuditedCommandTools & { readonly store: KeyStore };

/** For commands about the keys themselves. */
export type KeyCommandTools = CommandTools & {
  readonly keyStore: KeyStoreSettings;
  /** Throws `KeysUnusable` when the keys are not available. */
  readonly openAudited: () => Promise<AuditedKeyTools>;
};

/** For commands about the installation itself: nothing of it is opened, and its database is as it is. */
export type InstallationTools = {
  readonly operator: Actor;
  /** Throws `ConfigurationFault`. */
  readonly configure: () => Configuration;
  /** The database of `DATABASE_URL` or the embedded one, which is started where none runs. */
  readonly reachPlace: (configuration: Configuration) => Promise<DatabasePlace>;
  /** Migrates first. Throws `KeysUnusable` when the keys are not available. */
  readonly openMigrated: (configuration: Configuration) => Promise<MigratedTools>;
  readonly openKeys: (configuration: Configuration) => Promise<KeyCommandTools>;
  /** Prints a line on the progress of the command. */
  readonly report: (line: string) => void;
};

/** The migrations that were applied, and whether the audit log has an entry of each. */
export type MigratedTools = {
  readonly applied: readonly string[];
  /** Why it has not; null: it has. */
  readonly unaudited: string | null;
};

export type CommandOption = {
  /** Without the dashes. */
  readonly name: string;
  /** What stands after it in the help. */
  readonly value: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
  /** Returns the fault of a value before the command runs, or null. */
  readonly check?: (value: string) => string | null;
};

export const MERCHANT_OPTION = {
  name: 'merchant',
  value: 'ID',
  description: 'the merchant',
  isRequired: true,
} as const satisfies CommandOption;

/** Why something is done: nothing that the audit log keeps can be taken out of it. */
export function reasonOption(about: string): CommandOption {
  return {
    name: 'reason',
    value: 'TEXT',
    description: `${about}; up to ${LONGEST_REASON} characters`,
    isRequired: true,
    check: (value) =>
      value.trim() !== '' &&
      [...value].length <= LONGEST_REASON &&
      !holdsCardNumber(value) &&
      !holdsCpfOrEmail(value)
        ? null
        : `must have 1 to ${LONGEST_REASON} characters, and no card number, CPF or e-mail address among them`,
  };
}

/** An option without a value. */
export type CommandSwitch = Pick<CommandOption, 'name' | 'description'>;

/** The word that may stand after the words of a command; several of one that is repeatable. */
export type CommandOperand = Pick<CommandOption, 'name' | 'description' | 'check' | 'isRepeatable'>;

/** The options as they were given, checked for presence. */
export type GivenOptions = {
  readonly one: (name: string) => string | null;
  readonly many: (name: string) => readonly string[];
  /** Whether a switch of this name was given. */
  readonly has: (name: string) => boolean;
};

export type CommandOutcome =
  | {
      readonly ok: true;
      readonly lines: readonly string[];
      readonly json: unknown;
      /** The command is done, and its result is bad news: exit code 1. */
      readonly isBad?: boolean;
    }
  | { readonly ok: false; readonly option: string | null; readonly message: string };

export type Command = {
  readonly words: readonly [string] | readonly [string, string];
  readonly summary: string;
  /** Required where there is one; given as an option of its name to `run`. */
  readonly operand?: CommandOperand;
  readonly switches?: readonly CommandSwitch[];
  readonly options: readonly CommandOption[];
} & (
  | {
      /** Only reads: needs no keys. */
      readonly opens: 'database';
      readonly run: (given: GivenOptions, tools: CommandTools) => Promise<CommandOutcome>;
    }
  | {
      readonly opens: 'audited';
      readonly run: (given: GivenOptions, tools: AuditedCommandTools) => Promise<CommandOutcome>;
    }
  | {
      /** What the role of the service may not do: works as the owner of the tables. */
      readonly opens: 'owner';
      readonly run: (given: GivenOptions, tools: AuditedCommandTools) => Promise<CommandOutcome>;
    }
  | {
      /** Opens keys and audit log itself, or not: it may be the one that makes the first key. */
      readonly opens: 'keys';
      readonly run: (given: GivenOptions, tools: KeyCommandTools) => Promise<CommandOutcome>;
    }
  | {
      /** Works on the installation, and may find no database, no keys and wrong settings. */
      readonly opens: 'installation';
      readonly run: (given: GivenOptions, tools: InstallationTools) => Promise<CommandOutcome>;
    }
);

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

/** No control character of the text reaches the terminal. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** Cents as reais, with a sign where the merchant has too much. */
export function reaisOf(amount: number): string {
  return `${amount < 0 ? '-' : ''}${reaisText(cents(Math.abs(amount)))}`;
}
