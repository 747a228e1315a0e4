import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openTestService, type TestService } from '../kit/service.ts';
import { inviteByProvider, personOf } from './oidc-visit.ts';
import { DESK, keepPicture, TestBrowser, withoutChromium } from './test-browser.ts';
import { CLIENT, TestProvider } from './test-provider.ts';

const skip = withoutChromium;

let provider: TestProvider;
let service: TestService;
let browser: TestBrowser;
let folder: string;
before(async () => {
  if (skip !== false) return;
  provider = await TestProvider.open();
  folder = await mkdtemp(join(tmpdir(), 'parcela-oidc-browser-'));
  const secret = join(folder, 'secret');
  await writeFile(secret, CLIENT.secret, { mode: 0o600 });
  service = await openTestService({
    PARCELA_CONSOLE_OIDC_ISSUER: provider.issuer,
    PARCELA_CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
    PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: secret,
  });
  // Another site than the provider's, which is under 127.0.0.1.
  browser = await TestBrowser.open(service);
});
after(async () => {
  if (skip !== false) return;
  await browser?.close();
  await service.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

test('somebody goes to the provider and comes back to where the way led, without JavaScript too', {
  skip,
}, async () => {
  const name = 'ana@loja.example';
  await inviteByProvider(service, name);
  provider.behaviour = { person: personOf(name) };
  for (const hasScript of [true, false]) {
    const page = await browser.newPage({ ...DESK, language: hasScript ? 'pt-BR' : 'en' });
    const { origin } = browser;
    await page.setJavaScriptEnabled(hasScript);
    await page.goto(`${origin}/console/health?a=b`);
    assert.ok(page.url().startsWith(`${origin}/console/sign-in?next=`));
    await keepPicture(page, `sign-in-oidc-${hasScript ? 'pt' : 'en'}`);
    await Promise.all([page.waitForNavigation(), page.click('a.button')]);
    assert.ok(page.url().startsWith(`${provider.issuer}/authorize?`), page.url());
    await page.click('button');
    // The session's cookie is for our own pages alone: a redirection from the provider shows none.
    await page.waitForSelector('.user');
    assert.equal(page.url(), `${origin}/console/health?a=b`);
    assert.ok((await page.content()).includes(name));
    const cookies = await page.browserContext().cookies();
    assert.deepEqual(
      cookies.filter(({ domain }) => domain === 'localhost').map((cookie) => [cookie.name, cookie.sameSite]),
      [['parcela_homologation', 'Strict']],
    );
    await page.browserContext().close();
  }
});
