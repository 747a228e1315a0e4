import type { Configuration } from '../app/config.ts';
import { type Actor, type Audit, LONGEST_REASON } from '../audit/audit-event.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { KeyStoreSettings } from '../keys/key-store-settings.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import type { Lines } from '../platform/lines.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { DatabasePlace } from '../platform/postgres/database-place.ts';
import { holdsCardNumber, holdsCpfOrEmail } from '../values/card-number-in-text.ts';
import { cents, reaisText } from '../values/cents.ts';
import { isUuid } from '../values/ids.ts';
import { isDay, isInstant, utcText } from '../values/instant.ts';
import type { UrlSettings } from '../webhooks/posting/open-url-rules.ts';

export type CommandTools = {
  readonly database: Database;
  readonly environment: 'homologation' | 'production';
  readonly cell: string | null;
  /** The origin of the pages for payers; null: the address of the service, which commands do not know. */
  readonly pagesOrigin: string | null;
  readonly operator: Actor;
  /** The networks to which webhooks may go. */
  readonly urlSettings: UrlSettings;
  readonly acquirer: AcquirerPlace;
  readonly pix: Pick<Configuration['pix'], 'url' | 'channel' | 'settings' | 'timeoutMilliseconds'> & {
    /** The folder of the simulator's ledger; null: there is none. */
    readonly simulatorFolder: string | null;
  };
  readonly report: (line: string) => void;
};

export type AcquirerPlace = {
  /** Null: the simulator. */
  readonly url: string | null;
  /** The folder of the simulator's ledger. Null if there is none, as in production. */
  readonly simulatorFolder: string | null;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
  readonly captureDays: number;
};

/** The audit log is sealed, so audited commands need the keys. */
export type AuditedCommandTools = CommandTools & { readonly keyring: Keyring; readonly audit: Audit };

export type AuditedKeyTools = AuditedCommandTools & { readonly store: KeyStore };

export type KeyCommandTools = CommandTools & {
  readonly keyStore: KeyStoreSettings;
  /** Throws `KeysUnusable`. */
  readonly openAudited: () => Promise<AuditedKeyTools>;
};

/** `isStartedHere`: the embedded database did not run, and was started only for this command. */
export type ReachedPlace = DatabasePlace & { readonly isStartedHere: boolean };

export type InstallationTools = {
  readonly operator: Actor;
  /** Throws `ConfigurationFault`. */
  readonly configure: () => Configuration;
  readonly reachPlace: (configuration: Configuration) => Promise<ReachedPlace>;
  /** Migrates first. Throws `KeysUnusable`. */
  readonly openMigrated: (configuration: Configuration) => Promise<MigratedTools>;
  readonly openKeys: (configuration: Configuration) => Promise<KeyCommandTools>;
  readonly report: (line: string) => void;
};

export type MigratedTools = {
  readonly applied: readonly string[];
  /** Why applied migrations have no audit entry. Null if they have one. */
  readonly unaudited: string | null;
};

/** Returns the fault of a value before the command runs, or null. */
type Check = (value: string) => string | null;

export type CommandOption = {
  readonly name: string;
  readonly value: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
  readonly check?: Check;
};

export function option(
  usage: `--${string} ${string}`,
  description: string,
  more: Pick<CommandOption, 'isRequired' | 'isRepeatable' | 'check'> = {},
): CommandOption {
  const [name = '', value = ''] = usage.slice('--'.length).split(' ');
  return { name, value, description, ...more };
}

export const required: typeof option = (usage, description, more) =>
  option(usage, description, { ...more, isRequired: true });

export const matching =
  (pattern: RegExp, fault: string): Check =>
  (value) =>
    pattern.test(value) ? null : fault;
export const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.includes(value) ? null : `must be one of ${words.join(', ')}`;
export const dayCheck: Check = (value) => (isDay(value) ? null : 'must be a day such as 2026-12-14');
export const idCheck: Check = (value) => (isUuid(value) ? null : 'must be an id of 36 characters');

export const MERCHANT_OPTION = required('--merchant ID', 'the merchant');

export const USUAL_LIMIT = 100;

export function limitOption(most: number): CommandOption {
  return option('--limit N', `how many, up to ${most}; default ${USUAL_LIMIT}`, {
    check: (value) =>
      /^[1-9]\d{0,14}$/.test(value) && Number(value) <= most ? null : `must be 1 to ${most}`,
  });
}

/** Audit entries are kept for ever, so a reason may hold no card number, CPF or e-mail address. */
export function reasonOption(about: string): CommandOption {
  return required('--reason TEXT', `${about}; up to ${LONGEST_REASON} characters`, {
    check: (value) =>
      value.trim() !== '' &&
      [...value].length <= LONGEST_REASON &&
      !holdsCardNumber(value) &&
      !holdsCpfOrEmail(value)
        ? null
        : `must have 1 to ${LONGEST_REASON} characters, and no card number, CPF or e-mail address among them`,
  });
}

export type CommandSwitch = Pick<CommandOption, 'name' | 'description'>;

export type CommandOperand = Pick<CommandOption, 'name' | 'description' | 'check' | 'isRepeatable'>;

export type GivenOptions = {
  readonly one: (name: string) => string | null;
  readonly many: (name: string) => readonly string[];
  readonly has: (name: string) => boolean;
};

/** Printed as lines or, with --json, as JSON. `isBad`: it worked, and its result is bad news: exit code 1. */
type Done = { readonly lines: Lines; readonly json: unknown; readonly isBad?: boolean };

/** Exit code 1. `option`: the one at fault; null: none is. */
export type Refusal = { readonly option: string | null; readonly message: string };

export type CommandOutcome = Done | Refusal;

export const refused = (message: string): Refusal => ({ option: null, message });

export type Command = {
  readonly words: readonly [string] | readonly [string, string];
  readonly summary: string;
  /** `run` gets it as an option of its name. */
  readonly operand?: CommandOperand;
  readonly switches?: readonly CommandSwitch[];
  readonly options?: readonly CommandOption[];
} & (
  | {
      /** Only reads, so it needs no keys. */
      readonly opens: 'database';
      readonly run: (given: GivenOptions, tools: CommandTools) => Promise<CommandOutcome>;
    }
  | {
      readonly opens: 'audited';
      readonly run: (given: GivenOptions, tools: AuditedCommandTools) => Promise<CommandOutcome>;
    }
  | {
      /** Works as the owner of the tables, for what the service's role may not do. */
      readonly opens: 'owner';
      readonly run: (given: GivenOptions, tools: AuditedCommandTools) => Promise<CommandOutcome>;
    }
  | {
      /** Opens keys and audit log itself: it may make the first key. */
      readonly opens: 'keys';
      readonly run: (given: GivenOptions, tools: KeyCommandTools) => Promise<CommandOutcome>;
    }
  | {
      /** May find no database, no keys and wrong settings. */
      readonly opens: 'installation';
      readonly run: (given: GivenOptions, tools: InstallationTools) => Promise<CommandOutcome>;
    }
);

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

/** As JSON. Members named like a moment (…At, …Until, …Since) are instants, and printed as texts. */
export function printed(value: unknown, indent?: number): string {
  const textOf = (name: string, member: unknown) =>
    /(?:^at|At|Until|Since)$/.test(name) && isInstant(member) ? utcText(member) : member;
  return JSON.stringify(value, textOf, indent);
}

export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** `amount`: cents; negative if the merchant has too much. */
export function reaisOf(amount: number): string {
  return `${amount < 0 ? '-' : ''}${reaisText(cents(Math.abs(amount)))}`;
}
