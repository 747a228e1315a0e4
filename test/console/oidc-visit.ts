import assert from 'node:assert/strict';
import { inviteByIdentity } from '../../src/console/identities/open-by-identity.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { type TestService, until } from '../kit/service.ts';
import type { TestProvider } from './test-provider.ts';
import { type Asked, ask, type Shown } from './visitor.ts';

export const BEGIN = '/console/sign-in/oidc';

/** A browser with all of its cookies, which follows nothing by itself. */
export class Browsing {
  readonly origin: string;
  readonly cookies = new Map<string, string>();

  constructor(origin: string) {
    this.origin = origin;
  }

  async ask(path: string, asked: Asked = {}): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null;
    // A test is faster than people behind one address may be.
    const shown = await until(`${path} is answered`, async () => {
      const answered = await ask(this.origin, path, { cookie, ...asked });
      return answered.status === 429 ? null : answered;
    });
    for (const set of shown.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/; Max-Age=0(;|$)/.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return shown;
  }

  /** Presses the link of the sign-in page; gives where the provider asks. */
  async begin(next = ''): Promise<string> {
    const path = next === '' ? BEGIN : `${BEGIN}?${new URLSearchParams({ next })}`;
    const begun = await this.ask(path, { headers: { 'sec-fetch-site': 'same-origin' } });
    assert.equal(begun.status, 303, begun.text);
    return begun.headers.get('location') ?? '';
  }

  /** Comes back from the provider, as a navigation of another site. */
  comeBack(address: string): Promise<Shown> {
    const { pathname, search } = new URL(address);
    return this.ask(pathname + search, { headers: { 'sec-fetch-site': 'cross-site' } });
  }

  async signIn(provider: TestProvider, next = ''): Promise<Shown> {
    return this.comeBack(provider.approve(await this.begin(next)));
  }

  /** Whether a session is open. */
  async isIn(): Promise<boolean> {
    const { status } = await this.ask('/console/health');
    assert.ok(status === 200 || status === 303, String(status));
    return status === 200;
  }
}

/** Makes a user as `user invite --oidc` does. */
export async function inviteByProvider(
  { database }: Pick<TestService, 'database'>,
  name: string,
): Promise<void> {
  const pool = openDatabase(database.runtime, () => {});
  try {
    const tools = await auditedTools(pool);
    const invited = await inviteByIdentity(tools, { name, role: 'viewer', merchantId: null });
    assert.ok(!('refusal' in invited), JSON.stringify(invited));
  } finally {
    await pool.close();
  }
}

/** A person of the provider whose address it has verified. */
export function personOf(name: string, subject = `subject of ${name}`) {
  return { sub: subject, email: name, email_verified: true };
}
