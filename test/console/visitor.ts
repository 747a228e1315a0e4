import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/console/parts/user.ts';
import { inviteUser } from '../../src/console/users/invite-user.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { patiently } from '../kit/patience.ts';
import { type TestService, until } from '../kit/service.ts';

/** A page as a browser gets it. */
export type Shown = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Buffer;
};

export type Asked = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly cookie?: string | null;
};

/** Asks as a browser would; what it does not follow by itself is a redirection. */
export async function ask(origin: string, path: string, asked: Asked = {}): Promise<Shown> {
  const { form, cookie = null } = asked;
  const method = asked.method ?? (form === undefined ? 'GET' : 'POST');
  const response = await fetch(origin + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(method === 'POST' && { origin, 'sec-fetch-site': 'same-origin' }),
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(cookie !== null && { cookie }),
      ...asked.headers,
    },
    body: form === undefined ? null : new URLSearchParams(form).toString(),
    signal: AbortSignal.timeout(patiently(30_000)),
  });
  // With a byte order mark where there is one.
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString('utf8') };
}

/** On what takes longer than somebody waits, and is still being read. */
export const UNDER_WAY = 'data-under-way';

/** Somebody with a browser of its own. */
export class Visitor {
  readonly origin: string;
  cookie: string | null = null;

  constructor(origin: string) {
    this.origin = origin;
  }

  async ask(path: string, asked: Asked = {}): Promise<Shown> {
    const shown = await ask(this.origin, path, { cookie: this.cookie, ...asked });
    const [set] = (shown.headers.get('set-cookie') ?? '').split(';');
    if (set !== undefined && set !== '') this.cookie = set;
    return shown;
  }

  /** A test is faster than a person, and is asked to slow down: then nothing was done, and it asks again. */
  slowly(path: string, asked: Asked = {}): Promise<Shown> {
    return until(`${path} is answered`, async () => {
      const shown = await this.ask(path, asked);
      return shown.status === 429 && shown.headers.has('retry-after') ? null : shown;
    });
  }

  /** Looks again where a page says that what it shows is still being read. */
  turnTo(page: string): Promise<Shown> {
    return until(`${page} is whole`, async () => {
      const shown = await this.slowly(page);
      return !shown.text.includes(UNDER_WAY) && shown;
    });
  }

  /** By a link of an invitation, as homologation takes it. */
  async enter(path: string): Promise<this> {
    const entered = await this.slowly(path, { form: {} });
    assert.equal(entered.status, 303, entered.text);
    return this;
  }

  /** Fills in the form of a page that leads to this path, and sends it. */
  async send(page: string, action: string, fields: Readonly<Record<string, string>>): Promise<Shown> {
    const shown = await this.turnTo(page);
    assert.equal(shown.status, 200, shown.text);
    return this.slowly(action, { form: { ...hiddenFields(shown.text, action), ...fields } });
  }
}

/** What the box of the search answers, asked from any page of the merchant. */
export async function searchFor(visitor: Visitor, home: string, text: string): Promise<Shown> {
  return visitor.send(`${home}/search`, `${home}/search`, { q: text });
}

/** What stands in a form without being shown. */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const form = page.split('<form ').find((part) => part.includes(`action="${action}"`));
  assert.ok(form !== undefined, `no form leads to ${action}`);
  const [inside = ''] = form.split('</form>');
  return Object.fromEntries(
    [...inside.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name,
      (value ?? '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    ]),
  );
}

export function originOf({ gatewayUrl }: Pick<TestService, 'gatewayUrl'>): string {
  return new URL(gatewayUrl).origin;
}

/** Makes a user as the command does, and gives the path of the link. */
export async function invite(
  { database }: Pick<TestService, 'database'>,
  role: Role,
  merchantId: string | null,
  name = `${role}-${Math.random().toString(36).slice(2, 10)}`,
): Promise<{ readonly name: string; readonly path: string }> {
  const pool = openDatabase(database.runtime, () => {});
  try {
    const invited = await inviteUser(await auditedTools(pool), { name, role, merchantId });
    assert.ok(!('refusal' in invited), 'refusal' in invited ? invited.refusal : '');
    return { name, path: `/console/links/${invited.token}` };
  } finally {
    await pool.close();
  }
}

/** A visitor who is signed in with this role. */
export async function signedIn(
  service: Pick<TestService, 'database' | 'gatewayUrl'>,
  role: Role,
  merchantId: string | null,
): Promise<Visitor> {
  const { path } = await invite(service, role, merchantId);
  return new Visitor(originOf(service)).enter(path);
}

/** A link of a user who is there already. */
export async function linkFor(
  { auditor }: Pick<TestService, 'auditor'>,
  name: string,
  createdBy: string,
): Promise<string> {
  const link = randomUUID().replaceAll('-', '').padEnd(43, 'x');
  await auditor.query(
    `insert into console_links (token_hash, user_id, created_by, expires_at)
     select sha256($1::bytea), user_id, $3, now() + interval '1 day' from console_users where name = $2`,
    [link, name, createdBy],
  );
  return `/console/links/${link}`;
}

/** What a form of a page needs to be believed. */
export const markOf = async (visitor: Visitor, page: string) =>
  hiddenFields((await visitor.turnTo(page)).text, '/console/sign-out').mark ?? '';

/** The text of a page without its elements. */
export function wordsOf(page: string): string {
  return page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll(/\s+/g, ' ');
}

/** In two steps: what is to go back, and then that it shall. A fault ends at the first. */
export async function giveBack(
  visitor: Visitor,
  page: string,
  fields: Readonly<Record<string, string>>,
): Promise<Shown> {
  const shown = await visitor.send(page, `${page}/give-back`, fields);
  const action = `${page}/cancel`;
  if (!shown.text.includes(`action="${action}"`)) return shown;
  return visitor.slowly(action, { form: hiddenFields(shown.text, action) });
}
