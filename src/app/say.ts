import { type LogFormat, openSpokenLines, type SpokenLevel } from '../platform/log.ts';

type Speak = (line: string, level: SpokenLevel) => void;

let speak: Speak = (line) => void process.stderr.write(`${line}\n`);

/** For the person who starts it, on standard error. The log goes to the standard output. */
export function say(line: string, level: SpokenLevel = 'info'): void {
  speak(line, level);
}

export function sayWarning(line: string): void {
  say(line, 'warn');
}

/** Under a format that is for programs alone, all that is said is a line of the log, warnings of Node too. */
export function speakIn(format: LogFormat): void {
  if (format !== 'json' && format !== 'ecs') return;
  speak = openSpokenLines(format, (line) => void process.stderr.write(line));
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => sayWarning(`${name}: ${message}`));
}
