import { parseArgs } from 'node:util';
import { linesOf } from '../platform/lines.ts';
import { CommitUnknown, DatabaseUnavailable } from '../platform/postgres/database-errors.ts';
import { Overloaded } from '../platform/work/fair-line.ts';
import { ARCHIVE_COMMAND, AUDIT_COMMANDS } from './audit-commands.ts';
import { BOLETO_COMMANDS } from './boleto-commands.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOperand,
  type CommandOption,
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  type InstallationTools,
  type KeyCommandTools,
  printed,
} from './command.ts';
import { DOCTOR_COMMAND } from './doctor/doctor-command.ts';
import { FEE_COMMANDS } from './fee-commands.ts';
import { KEY_COMMANDS } from './keys/key-commands.ts';
import { MERCHANT_COMMANDS } from './merchant-commands.ts';
import { MIGRATE_COMMAND } from './migrate-command.ts';
import { MOVING_COMMANDS } from './moving/moving-commands.ts';
import { FIELDS_COMMANDS } from './payers/fields-commands.ts';
import { LINK_COMMANDS } from './payers/link-commands.ts';
import { PAYMENT_COMMANDS } from './payment-commands.ts';
import { PIX_WEBHOOK_COMMAND } from './pix/webhook-command.ts';
import { PRIVACY_COMMANDS } from './privacy/privacy-commands.ts';
import { PROVIDER_COMMANDS } from './provider-commands.ts';
import { RECONCILE_COMMANDS } from './reconcile/reconcile-commands.ts';
import { REMITTANCE_COMMANDS } from './remittance-commands.ts';
import { RESOLVE_COMMANDS } from './resolve-commands.ts';
import { RESTORE_COMMANDS } from './restore/restore-commands.ts';
import { STANDING_COMMANDS } from './standing-commands.ts';
import { TOKEN_COMMANDS } from './token-commands.ts';
import { USER_COMMANDS } from './users/user-commands.ts';
import { WEBHOOK_COMMANDS } from './webhook-commands.ts';

export type TerminalTools = {
  /** Reaches the database. Called late, so that help and typing errors need none. */
  open(): Promise<CommandTools>;
  openAudited(): Promise<AuditedCommandTools>;
  openOwner(): Promise<AuditedCommandTools>;
  openKeys(): Promise<KeyCommandTools>;
  openInstallation(): InstallationTools;
  print(line: string): void;
  printError(line: string): void;
};

const EXIT_DONE = 0;
export const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

class UsageFault extends Error {
  readonly option: string | null;
  constructor(message: string, option: string | null = null) {
    super(message);
    this.option = option;
  }
}

/** Returns the exit code. `words` are those after the program's name. */
export async function runCommand(words: readonly string[], tools: TerminalTools): Promise<number> {
  const isJson = words.includes('--json');
  const printFault = (option: string | null, message: string) =>
    tools.printError(isJson ? JSON.stringify({ error: { option, message } }) : message);
  try {
    if (asksForHelp(words)) return help(words, tools);
    const { command, rest } = commandOf(words);
    const given = givenOptions(command, rest);
    const outcome = await runWith(command, given, tools);
    if ('message' in outcome) {
      printFault(outcome.option, outcome.message);
      return EXIT_REFUSED;
    }
    if (isJson) tools.print(printed(outcome.json));
    else for (const line of linesOf(outcome.lines)) tools.print(line);
    return outcome.isBad === true ? EXIT_REFUSED : EXIT_DONE;
  } catch (error) {
    if (error instanceof Overloaded) {
      printFault(null, `nothing was done: ${error.message}`);
      return EXIT_REFUSED;
    }
    if (error instanceof CommitUnknown) {
      printFault(null, `it may be done or not: ${error.message}`);
      return EXIT_REFUSED;
    }
    if (error instanceof DatabaseUnavailable) {
      printFault(null, `the database cannot be reached: ${error.message}`);
      return EXIT_REFUSED;
    }
    if (!(error instanceof UsageFault)) throw error;
    printFault(error.option, `${error.message} (--help shows what is possible)`);
    return EXIT_USAGE;
  }
}

async function runWith(command: Command, given: GivenOptions, tools: TerminalTools): Promise<CommandOutcome> {
  switch (command.opens) {
    case 'database':
      return command.run(given, await tools.open());
    case 'audited':
      return command.run(given, await tools.openAudited());
    case 'owner':
      return command.run(given, await tools.openOwner());
    case 'keys':
      return command.run(given, await tools.openKeys());
    case 'installation':
      return command.run(given, tools.openInstallation());
  }
}

function asksForHelp(words: readonly string[]): boolean {
  return words.length === 0 || words[0] === 'help' || words.includes('--help') || words.includes('-h');
}

function help(words: readonly string[], tools: TerminalTools): number {
  // The operand of a command may follow its words.
  const named = words[0] === 'help' ? leadingWords(words.slice(1)) : leadingWords(words).slice(0, 2);
  const asked = commandNamed(named)?.words ?? named;
  if (commandsUnder(asked).length === 0)
    throw new UsageFault(`there is no command ${JSON.stringify(asked.join(' '))}`);
  for (const line of helpLines(asked)) tools.print(line);
  return words.length === 0 ? EXIT_USAGE : EXIT_DONE;
}

function commandOf(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const named = leadingWords(words).slice(0, 2);
  const command = commandNamed(named);
  if (command === null) throw new UsageFault(`there is no command ${JSON.stringify(named.join(' '))}`);
  return { command, rest: words.slice(command.words.length) };
}

function leadingWords(words: readonly string[]): string[] {
  const end = words.findIndex((word) => word.startsWith('-'));
  return words.slice(0, end === -1 ? words.length : end);
}

/** Faults name the option, and repeat no unexpected value, which may be a secret. */
function givenOptions(command: Command, words: readonly string[]): GivenOptions {
  const { operand, options = [], switches = [] } = command;
  const known = new Map(options.map((option) => [option.name, option]));
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries([
      ...options.map(({ name }) => [name, { type: 'string' }] as const),
      ...[...COMMON_SWITCHES, ...switches].map(({ name }) => [name, { type: 'boolean' }] as const),
    ]),
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const switched = new Set<string>();
  for (const token of tokens) {
    if (
      token.kind === 'positional' &&
      operand !== undefined &&
      (operand.isRepeatable || !values.has(operand.name))
    ) {
      values.set(operand.name, [...(values.get(operand.name) ?? []), checkedOperand(operand, token.value)]);
      continue;
    }
    if (token.kind !== 'option') throw new UsageFault('a word stands where an option was expected');
    if ([...COMMON_SWITCHES, ...switches].some(({ name }) => name === token.name)) {
      if (token.value !== undefined)
        throw new UsageFault(`--${token.name} takes no value`, `--${token.name}`);
      switched.add(token.name);
      continue;
    }
    const option = known.get(token.name);
    if (option === undefined) throw new UsageFault(`unknown option ${token.rawName}`, token.rawName);
    const earlier = values.get(option.name) ?? [];
    values.set(option.name, [...earlier, checkedValue(option, token, earlier)]);
  }
  if (operand !== undefined && !values.has(operand.name)) {
    throw new UsageFault(`${operand.name} is required: ${[...command.words, operand.name].join(' ')}`);
  }
  for (const { name, isRequired } of options) {
    if (isRequired && !values.has(name)) throw new UsageFault(`--${name} is required`, `--${name}`);
  }
  return {
    one: (name) => values.get(name)?.[0] ?? null,
    many: (name) => values.get(name) ?? [],
    has: (name) => switched.has(name),
  };
}

function checkedOperand({ name, check }: CommandOperand, value: string): string {
  const fault = check?.(value) ?? null;
  if (fault !== null) throw new UsageFault(`${name} ${fault}`);
  return value;
}

function checkedValue(
  option: CommandOption,
  token: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  earlier: readonly string[],
): string {
  const name = `--${option.name}`;
  const { value } = token;
  if (value === undefined || value === '' || (!token.inlineValue && value.startsWith('-'))) {
    throw new UsageFault(`${name} needs a value: ${name} ${option.value}`, name);
  }
  if (earlier.length > 0 && !option.isRepeatable) throw new UsageFault(`${name} was given twice`, name);
  const fault = option.check?.(value) ?? null;
  if (fault !== null) throw new UsageFault(`${name} ${JSON.stringify(value)} ${fault}`, name);
  return value;
}

/** In a checkout it is `npm run parcela --`. */
const CALL = 'parcela';

/** Shown in the help only: the launcher starts the service (bin/parcela). */
const SERVE = ['serve', 'run the service, until SIGTERM'] as const;

const COMMON_SWITCHES = [
  { name: 'json', description: 'print JSON, for programs' },
  { name: 'help', description: 'show this' },
] as const;

function helpLines(words: readonly string[]): string[] {
  const meant = commandsUnder(words);
  const [only] = meant;
  if (meant.length === 1 && only !== undefined && words.length === only.words.length)
    return commandHelp(only);
  const rows = meant.map((command) => [command.words.join(' '), command.summary] as const);
  const all = words.length === 0 ? [SERVE, ...rows] : rows;
  return [
    `Usage: ${CALL} <command> [options]`,
    '',
    ...aligned(all),
    '',
    `${CALL} help <command> shows the options of one; the settings of ${CALL} serve are in docs/configuration.md.`,
    `In a checkout: npm run ${CALL} -- <command>, and npm start.`,
    'Exit codes: 0 done, 1 refused, 2 wrong usage.',
  ];
}

function commandsUnder(words: readonly string[]): Command[] {
  return COMMANDS.filter((command) => words.every((word, index) => command.words[index] === word));
}

/** An operand may follow a command of one word. */
function commandNamed(words: readonly string[]): Command | null {
  return COMMANDS.find((command) => command.words.every((word, index) => words[index] === word)) ?? null;
}

function commandHelp(command: Command): string[] {
  const operand = command.operand;
  const words = operand?.isRepeatable ? `${operand.name}…` : operand?.name;
  const name = [...command.words, ...(words === undefined ? [] : [words])].join(' ');
  const about = operand === undefined ? [] : [[operand.name, operand.description] as const];
  const rows = (command.options ?? []).map((option) => [usageOf(option), descriptionOf(option)] as const);
  const switches = [...(command.switches ?? []), ...COMMON_SWITCHES].map(
    (option) => [`--${option.name}`, option.description] as const,
  );
  return [
    `Usage: ${CALL} ${name} [options]`,
    `${command.words.join(' ')}: ${command.summary}`,
    '',
    ...aligned([...about, ...rows, ...switches]),
  ];
}

function usageOf(option: CommandOption): string {
  return `--${option.name} ${option.value}`;
}

function descriptionOf({ description, isRequired, isRepeatable }: CommandOption): string {
  const notes = [isRequired ? 'required' : null, isRepeatable ? 'may be repeated' : null].filter(Boolean);
  return notes.length === 0 ? description : `${description} (${notes.join(', ')})`;
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

/** Every command. The help is printed from here. */
export const COMMANDS: readonly Command[] = [
  MIGRATE_COMMAND,
  DOCTOR_COMMAND,
  ...MERCHANT_COMMANDS,
  ...STANDING_COMMANDS,
  ...TOKEN_COMMANDS,
  ...USER_COMMANDS,
  ...MOVING_COMMANDS,
  ...PAYMENT_COMMANDS,
  ...LINK_COMMANDS,
  ...FIELDS_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...FEE_COMMANDS,
  ...PROVIDER_COMMANDS,
  PIX_WEBHOOK_COMMAND,
  ...RESOLVE_COMMANDS,
  ...BOLETO_COMMANDS,
  ...REMITTANCE_COMMANDS,
  ...RECONCILE_COMMANDS,
  ...RESTORE_COMMANDS,
  ...PRIVACY_COMMANDS,
  ...AUDIT_COMMANDS,
  ARCHIVE_COMMAND,
  ...KEY_COMMANDS,
];
