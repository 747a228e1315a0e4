import { SETTINGS } from '../src/app/settings.ts';

/** docs/configuration.md: every setting that there is. */
export function configurationPage(note: string): string {
  const rows = SETTINGS.map(({ name, preset, description }) => [
    `\`${name}\``,
    preset === '' ? '' : `\`${preset}\``,
    withLinks(description),
  ]);
  const columns = ['setting', 'default', 'meaning'];
  const table = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${['# Configuration', note, INTRODUCTION, table.join('\n')].join('\n\n')}\n`;
}

/** Paths from the root, as messages have them, as links from docs/. */
function withLinks(description: string): string {
  return description.replace(/docs\/([\w/.-]+\.md(?:#[\w-]+)?)/g, (_, path: string) => {
    const label = path.replace(/#.*/, '');
    return `[${label}](${path})`;
  });
}

const INTRODUCTION = `Settings are environment variables. A start with an unknown \`PARCELA_…\` name, or with settings that contradict each other, is refused.

Give a secret by a file or a descriptor (such as \`/dev/fd/3\`): the setting of the same name with \`_FILE\` (of \`PARCELA_KEY\`: \`PARCELA_KEY_VALUE_FILE\`). Both at once are
refused. A line end behind the value is cut. Parcela warns of a file that every account of the machine may read.`;
