import { styleText } from 'node:util';

/**
 * The output of the tour. Colours only on a terminal (`styleText` looks at it, and at NO_COLOR).
 */
export type Screen = {
  chapter(title: string): void;
  /** What happens next, in words. */
  say(...lines: string[]): void;
  call(line: string): void;
  answer(status: number, shown: string): void;
  /** What the merchant's endpoint was notified of. */
  reported(line: string): void;
};

type Style = Parameters<typeof styleText>[0];

export function openScreen(output: NodeJS.WriteStream = process.stdout): Screen {
  let chapters = 0;
  const styled = (style: Style, text: string) => styleText(style, text, { stream: output });
  const write = (line: string) => output.write(`${line}\n`);
  return {
    chapter(title) {
      chapters += 1;
      write(`\n${styled('bold', `${chapters}. ${title}`)}\n`);
    },
    say: (...lines) => lines.forEach((line) => void write(line)),
    call: (line) => void write(styled('cyan', `  ${line}`)),
    answer(status, shown) {
      const style = status < 300 ? 'green' : 'red';
      write(`    ${styled(style, String(status))} ${shown}`);
    },
    reported: (line) => void write(`  ${styled('yellow', '<-')} ${line}`),
  };
}
