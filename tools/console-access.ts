import { operationOf } from '../src/console/parts/screen.ts';
import { ROLES } from '../src/console/parts/user.ts';
import { ALL_ACTIONS, ALL_SCREENS } from './console-pages.ts';

const TEXT = `Every page behind the sign-in of the [console](console.md) and everything that is done on them, with the roles that may. \`GET, POST\`: it takes a form, which changes nothing of a merchant. A user of a merchant
sees the pages of this merchant alone: those of another one, and what is not in this table, are not found (404). \`operator\` in the second column: users
without a merchant alone. A role that may not is refused (403), and that is in the audit log.`;

/** Which role may see and do what: printed from the screens and actions themselves. */
export function consoleAccess(note: string): string {
  const rows = [
    ...ALL_SCREENS.map((one) => ({ ...one, method: one.takesForm === true ? 'GET, POST' : 'GET', asks: '' })),
    ...ALL_ACTIONS.map((one) => ({ ...one, method: 'POST', asks: `\`${operationOf(one)}\`` })),
  ].map(({ method, path, of, title, asks, roles }) => [
    `${method} \`/console${path}\``,
    of,
    title,
    asks,
    ...ROLES.map((role) => (roles.includes(role) ? 'yes' : '–')),
  ]);
  const lines = [
    ['page', 'of', 'title', 'asks', ...ROLES],
    ['---', '---', '---', '---', ...ROLES.map(() => '---')],
    ...rows,
  ];
  return `# Roles and pages of the console\n\n${note}\n\n${TEXT}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
