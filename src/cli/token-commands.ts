import { listTokens } from '../merchants/tokens/access-tokens.sql.ts';
import { endTokens } from '../merchants/tokens/end-tokens.ts';
import { utcText } from '../values/instant.ts';
import { type Command, matching, option, table } from './command.ts';
import { USER_NAME_OPTION } from './merchant-commands.ts';
import { refusedByOperator } from './refusals.ts';

const MOST_LISTED = 1_000;
export const TOKEN_COMMANDS: readonly Command[] = [
  {
    words: ['token', 'list'],
    summary: `show the access tokens of a credential that are good now, oldest first, up to ${MOST_LISTED}`,
    options: [USER_NAME_OPTION],
    opens: 'database',
    async run(given, tools) {
      const listed = await listTokens(tools, given.one('user-name') ?? '', MOST_LISTED);
      if ('refusal' in listed) return refusedByOperator(listed);
      const items = listed.map(({ tokenId, api, createdAt, expiresAt }) => ({
        tokenId,
        api,
        createdAt,
        expiresAt,
      }));
      const rows = items.map((one) => [one.tokenId, one.api, utcText(one.createdAt), utcText(one.expiresAt)]);
      return { lines: table(['TOKEN', 'API', 'SINCE', 'UNTIL'], rows), json: { items } };
    },
  },
  {
    words: ['token', 'revoke'],
    summary: 'end the access tokens of a credential, or one of them, within two seconds',
    options: [
      USER_NAME_OPTION,
      option('--token ID', 'as token list shows it; default: all', {
        check: matching(/^[0-9a-f]{12}$/, 'must be an id of 12 hexadecimal digits'),
      }),
    ],
    opens: 'audited',
    async run(given, tools) {
      const userName = given.one('user-name') ?? '';
      const tokenId = given.one('token');
      const ended = await endTokens(tools, userName, tokenId);
      if (ended !== 'ended') return refusedByOperator(ended);
      const what = tokenId === null ? `All tokens of ${userName}` : `Token ${tokenId} of ${userName}`;
      return { lines: [`${what} ended: in every process within two seconds.`], json: { userName, tokenId } };
    },
  },
];
