import type { Command, CommandOption } from './command.ts';
import { COMMANDS } from './commands.ts';

/** In a checkout it is `npm run parcela --`. */
const CALL = 'parcela';

/** No command of this program: the launcher starts the service (bin/parcela). */
const SERVE = ['serve', 'run the service, until SIGTERM'] as const;

/** What every command takes besides its own. */
export const COMMON_SWITCHES = [
  { name: 'json', description: 'print JSON, for programs' },
  { name: 'help', description: 'show this' },
] as const;

/**
 * The help for the commands that begin with the given words: of one its options, of several a list.
 */
export function helpLines(words: readonly string[]): string[] {
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

export function commandsUnder(words: readonly string[]): Command[] {
  return COMMANDS.filter((command) => words.every((word, index) => command.words[index] === word));
}

/** The command that the words begin with; an operand may follow one of a single word. */
export function commandNamed(words: readonly string[]): Command | null {
  return COMMANDS.find((command) => command.words.every((word, index) => words[index] === word)) ?? null;
}

function commandHelp(command: Command): string[] {
  const operand = command.operand;
  const words = operand?.isRepeatable ? `${operand.name}…` : operand?.name;
  const name = [...command.words, ...(words === undefined ? [] : [words])].join(' ');
  const about = operand === undefined ? [] : [[operand.name, operand.description] as const];
  const rows = command.options.map((option) => [usageOf(option), descriptionOf(option)] as const);
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
