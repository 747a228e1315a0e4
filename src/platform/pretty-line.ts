import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<string, { readonly word: string; readonly style: Style }>> = {
  debug: { word: 'debug', style: 'gray' },
  info: { word: 'info ', style: 'green' },
  warn: { word: 'warn ', style: 'yellow' },
  error: { word: 'ERROR', style: 'red' },
};
const STACK_INDENT = '              ';
/**
 * Control characters of a terminal, and those that turn the direction of a line: shown by their
 * number.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[\p{L}\p{N}._:/@+-]+$/u;

/**
 * A line of the log for people: time, level, message, then its fields. Anchors of the audit log are
 * for machines, and left out unless requested. `hasColors`: whether the reader's terminal shows
 * them.
 */
export function prettyLine(
  line: string,
  options: { readonly showsAnchors: boolean; readonly hasColors: boolean },
): string {
  const { level, time, msg, stack, ...fields } = JSON.parse(line) as Record<string, unknown>;
  if (fields.auditSeal !== undefined && !options.showsAnchors) return '';
  const { word, style } = LEVELS[String(level)] ?? { word: String(level), style: 'red' };
  const shown = options.hasColors ? styleText(style, word, { validateStream: false }) : word;
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const head = `${timeText(time)} ${shown} ${safe(String(msg ?? ''))}${details.join('')}\n`;
  const places = Array.isArray(stack)
    ? stack.map((place) => `${STACK_INDENT}${safe(String(place).trim())}\n`)
    : [];
  return head + places.join('');
}

/** By the wall clock of this machine. */
function timeText(time: unknown): string {
  const at = new Date(String(time));
  const two = (value: number) => String(value).padStart(2, '0');
  const milliseconds = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? value : safe(JSON.stringify(value));
  return safe(JSON.stringify(value) ?? '');
}

function safe(text: string): string {
  return text.replaceAll(UNSAFE, (sign) => `\\u{${(sign.codePointAt(0) as number).toString(16)}}`);
}
