import { Pool } from 'undici';
import { AccessToken, type NewToken } from '../../../../platform/channels/access-token.ts';
import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import { askOnce } from '../../../../platform/channels/ask-once.ts';
import type { Channel } from '../../../../platform/channels/open-channel.ts';
import type { PixDialect } from './dialect.ts';

const CONNECTIONS = 2;
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);

export type BankToken = { readonly token: AccessToken; readonly close: () => Promise<void> };

/** The access token of a bank, over connections of its own. */
export function openBankToken(channel: Channel, dialect: PixDialect): BankToken {
  const { origin } = new URL(dialect.tokenUrl);
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1, connect: channel.connect });
  return {
    token: new AccessToken((timeout) => askToken(pool, channel, dialect, timeout)),
    close: () => pool.destroy(),
  };
}

async function askToken(
  pool: Pool,
  channel: Channel,
  { tokenUrl, scope }: PixDialect,
  timeout: number,
): Promise<NewToken> {
  const { pathname, search } = new URL(tokenUrl);
  const credentials = Buffer.from(channel.token() ?? '').toString('base64');
  const answer = await askOnce(
    pool,
    {
      method: 'POST',
      path: pathname + search,
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${credentials}`,
      },
    },
    timeout,
  );
  if (answer.kind !== 'answer') return { kind: 'away', reason: `no access token: ${answer.reason}` };
  const { status } = answer;
  const reason = `no access token: the bank answered ${status}`;
  if (REFUSALS.has(status)) return { kind: 'refused', reason };
  const { access_token: token, expires_in: seconds } = fieldsOf(answer.body);
  if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token))
    return { kind: 'away', reason };
  return { kind: 'token', token, seconds };
}
