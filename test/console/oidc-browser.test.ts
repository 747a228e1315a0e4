import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser } from 'puppeteer-core';
import { programPath, skipWithout } from '../../tools/test-programs.ts';
import { patiently } from '../kit/patience.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { inviteByProvider, personOf } from './oidc-visit.ts';
import { CLIENT, TestProvider } from './test-provider.ts';
import { originOf } from './visitor.ts';

/** Kept to be looked at; git ignores them. */
const PICTURES = fileURLToPath(new URL('../../coverage/console/', import.meta.url));
const skip = skipWithout('chromium');

let provider: TestProvider;
let service: TestService;
let browser: Browser | undefined;
let folder: string;
let origin: string;
before(async () => {
  if (skip !== false) return;
  provider = await TestProvider.open();
  folder = await mkdtemp(join(tmpdir(), 'parcela-oidc-browser-'));
  const secret = join(folder, 'secret');
  await writeFile(secret, CLIENT.secret, { mode: 0o600 });
  await mkdir(PICTURES, { recursive: true });
  service = await openTestService({
    PARCELA_CONSOLE_OIDC_ISSUER: provider.issuer,
    PARCELA_CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
    PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: secret,
  });
  // Another site than the provider's, which is under 127.0.0.1.
  origin = originOf(service).replace('//127.0.0.1:', '//localhost:');
  browser = await puppeteer.launch({
    executablePath: programPath('chromium') ?? '',
    userDataDir: join(folder, 'profile'),
    timeout: patiently(60_000),
    protocolTimeout: patiently(120_000),
    // Root has no sandbox; nothing but our own pages is opened.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
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
    const context = await browser?.createBrowserContext();
    const page = await context?.newPage();
    assert.ok(page !== undefined);
    page.setDefaultTimeout(patiently(30_000));
    await page.setJavaScriptEnabled(hasScript);
    await page.goto(`${origin}/console/health?a=b`);
    assert.ok(page.url().startsWith(`${origin}/console/sign-in?next=`));
    await page.screenshot({ path: join(PICTURES, 'sign-in-oidc.png'), fullPage: true });
    await Promise.all([page.waitForNavigation(), page.click('a.button')]);
    assert.ok(page.url().startsWith(`${provider.issuer}/authorize?`), page.url());
    await page.click('button');
    // The session's cookie is for our own pages alone: a redirection from the provider shows none.
    await page.waitForSelector('.user');
    assert.equal(page.url(), `${origin}/console/health?a=b`);
    assert.ok((await page.content()).includes(name));
    const cookies = await context?.cookies();
    assert.deepEqual(
      cookies?.filter(({ domain }) => domain === 'localhost').map((cookie) => [cookie.name, cookie.sameSite]),
      [['parcela_homologation', 'Strict']],
    );
    await context?.close();
  }
});
