import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { SCREENS } from '../../src/console/screens.ts';
import { programPath, skipWithout } from '../../tools/test-programs.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { patiently } from '../kit/patience.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { makeThings } from './merchant-things.ts';
import { invite } from './visitor.ts';

/** Kept to be looked at; git ignores them. */
const PICTURES = fileURLToPath(new URL('../../coverage/console/', import.meta.url));
const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));
const WINDOWS = {
  desk: { width: 1280, height: 900 },
  phone: { width: 375, height: 760 },
} as const;

const skip = skipWithout('chromium');

let service: TestService;
let browser: Browser | undefined;
let profile: string;
let origin: string;
let merchantId: string;
let paymentId: string;
let things: Readonly<Record<string, string>>;
before(async () => {
  if (skip !== false) return;
  service = await openTestService();
  // Passkeys are bound to a name.
  origin = new URL(service.gatewayUrl).origin.replace('//127.0.0.1:', '//localhost:');
  const demo = await service.demo();
  ({ merchantId } = demo);
  paymentId = await payments(await logIn(service.gatewayUrl, demo.gateway));
  const day = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Sao_Paulo' });
  const { name } = await invite(service, 'support', merchantId);
  things = { merchantId, paymentId, day, name, ...(await makeThings(service)) };
  profile = await mkdtemp(join(tmpdir(), 'parcela-chromium-'));
  await mkdir(PICTURES, { recursive: true });
  browser = await puppeteer.launch({
    executablePath: programPath('chromium') ?? '',
    userDataDir: profile,
    timeout: patiently(60_000),
    protocolTimeout: patiently(120_000),
    // Root has no sandbox; nothing but our own pages is opened.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'],
  });
});
after(async () => {
  if (skip !== false) return;
  await browser?.close();
  await service.close();
  await rm(profile, { recursive: true, force: true });
});

/** One with everything that its page may show, and some others; gives its id. */
async function payments(token: string): Promise<string> {
  const make = async (amount: number, change: Record<string, unknown> = {}) => {
    const { reply } = await pay(service.gatewayUrl, token, amount, change);
    return reply.body?.paymentAuthorization?.paymentId as string;
  };
  await make(4_990);
  await make(51, { referenceTransaction: 'PEDIDO-8002' });
  return make(12_990, {
    referenceTransaction: 'PEDIDO-8001',
    payment: { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 },
    configSplit: [{ documentNumberBeneficiary: '11222333000181', percent: 10.5 }],
  });
}

async function newPage(
  window: keyof typeof WINDOWS,
  scheme: 'light' | 'dark' = 'light',
  language: 'pt-BR' | 'en' = 'pt-BR',
): Promise<Page> {
  assert.ok(browser !== undefined);
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(patiently(30_000));
  await page.setViewport(WINDOWS[window]);
  await page.setExtraHTTPHeaders({ 'accept-language': language });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  return page;
}

/** Presses the button of a form that leads elsewhere. */
async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)]);
}

async function enter(page: Page, merchant: string | null): Promise<void> {
  const { path } = await invite(service, 'admin', merchant);
  await page.goto(origin + path);
  await press(page, 'form:not([data-passkey]) button');
}

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Everything that axe knows of WCAG 2.2 A and AA, and of good practice. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  const found = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
       .then(({ violations }) => violations)`,
  )) as Violation[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** No wider than the window: what is wide scrolls by itself. */
async function isTooWide(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')) as boolean;
}

async function lookAt(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  assert.deepEqual(await violationsOn(page), [], name);
  assert.equal(await isTooWide(page), false, `${name} is wider than its window`);
}

const addressOf = (path: string) =>
  `${origin}/console${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => things[name] ?? '')}`;

const LOOKS = [
  { window: 'desk', scheme: 'light', language: 'pt-BR' },
  { window: 'desk', scheme: 'dark', language: 'en' },
  { window: 'phone', scheme: 'light', language: 'pt-BR' },
] as const;

for (const { window, scheme, language } of LOOKS) {
  test(`every page is good to use, on a ${window}, ${scheme}, in ${language}`, { skip }, async () => {
    const page = await newPage(window, scheme, language);
    // What a test brings is not under the policy of the page.
    await page.setBypassCSP(true);
    const { path } = await invite(service, 'admin', null);
    await page.goto(`${origin}/console/sign-in`);
    await lookAt(page, `sign-in-${window}-${scheme}`);
    await page.goto(origin + path);
    await lookAt(page, `welcome-${window}-${scheme}`);
    await enter(page, null);
    for (const screen of SCREENS) {
      if (screen.isFile === true) continue;
      const name = screen.path.slice(1).replaceAll('/', '-').replaceAll(/[{}]/g, '');
      await page.goto(addressOf(screen.path));
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      await lookAt(page, `${name}-${window}-${scheme}`);
    }
    await page.goto(`${origin}/console/nowhere`);
    await lookAt(page, `nowhere-${window}-${scheme}`);
    await page.browserContext().close();
  });
}

test('a user makes a passkey, signs out, and signs in with it; the same answer opens nothing again', {
  skip,
}, async () => {
  const page = await newPage('desk');
  const client = await page.createCDPSession();
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const { name, path } = await invite(service, 'admin', null);
  await page.goto(origin + path);
  await press(page, 'form[data-passkey=create] button');
  assert.match(page.url(), /\/console\/merchants\/[^/]+\/first-steps$/);
  const keys = await service.auditor.query(
    'select 1 from console_passkeys p join console_users u using (user_id) where u.name = $1',
    [name],
  );
  assert.equal(keys.length, 1);
  await press(page, '.user button');
  assert.equal(page.url(), `${origin}/console/sign-in`);
  await page.goto(`${origin}/console/audit?action=user.signIn`);
  await page.screenshot({ path: join(PICTURES, 'sign-in-again.png'), fullPage: true });
  let sent = '';
  page.on('request', (request) => {
    if (request.method() === 'POST') sent = request.postData() ?? sent;
  });
  await press(page, 'form[data-passkey=get] button');
  assert.equal(page.url(), `${origin}/console/audit?action=user.signIn`);
  assert.ok((await page.content()).includes(`user:${name}`));
  const replayed = await fetch(`${origin}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: sent,
  });
  assert.equal(replayed.status, 401);
  assert.equal(replayed.headers.get('set-cookie'), null);
  await page.browserContext().close();
});

test('a visitor without a passkey reads so on the page, and stays outside', { skip }, async () => {
  const page = await newPage('desk');
  const client = await page.createCDPSession();
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
  });
  await page.goto(`${origin}/console/sign-in`);
  await page.click('form[data-passkey=get] button');
  await page.waitForSelector('[data-fault]:not([hidden])');
  assert.equal(page.url(), `${origin}/console/sign-in`);
  await page.browserContext().close();
});

test('everything behind the sign-in works without JavaScript: a payment is found and given back', {
  skip,
}, async () => {
  const page = await newPage('phone');
  await page.setJavaScriptEnabled(false);
  await enter(page, merchantId);
  await page.type('#q', 'PEDIDO-8001');
  await press(page, '.search button');
  assert.equal(page.url(), addressOf('/merchants/{merchantId}/payments/{paymentId}'));
  await page.click('details.action summary');
  await page.type('details.action [name=amount]', '10,00');
  await page.type('details.action [name=reason]', 'cliente devolveu um item');
  await press(page, 'details.action button');
  const text = (await page.content()).replaceAll('&nbsp;', ' ');
  assert.match(text, /O valor foi devolvido/);
  await page.screenshot({ path: join(PICTURES, 'given-back-phone.png'), fullPage: true });
  await page.browserContext().close();
});

/** Somebody comes back to the page: it is read again at once. */
const COME_BACK = "document.dispatchEvent(new Event('visibilitychange'))";

const textAt = (page: Page, selector: string) =>
  page.evaluate(`document.querySelector('${selector}')?.textContent ?? ''`) as Promise<string>;

test('a page that is read again draws what changed alone, says it, and says when it is not live', {
  skip,
}, async () => {
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const { reply } = await pay(service.gatewayUrl, token, 7_000);
  const { paymentId: id } = reply.body.paymentAuthorization;
  const page = await newPage('desk');
  await enter(page, merchantId);
  await page.goto(`${origin}/console/merchants/${merchantId}/payments/${id}`);
  await page.evaluate(`window.drawn = 0;
    new MutationObserver((seen) => { window.drawn += seen.length; }).observe(
      document.querySelector('[data-refresh]'),
      { attributes: true, characterData: true, childList: true, subtree: true },
    )`);
  const unchanged = page.waitForResponse((answer) => answer.status() === 304);
  await page.evaluate(COME_BACK);
  await unchanged;
  assert.equal(await page.evaluate('window.drawn'), 0);
  assert.equal(await textAt(page, '[data-news]'), '');

  const form = 'form[action$="/cancel"]';
  await page.click('details.action summary');
  await page.type(`${form} [name=reason]`, 'cliente desistiu');
  const path = `/homologation/transactions/${id}/events`;
  await call(service.gatewayUrl, path, { token, body: { type: 'settle', installmentNumber: 1 } });
  await page.evaluate(COME_BACK);
  await page.waitForFunction("document.querySelector('.headline .badge').textContent === 'Paga'");
  assert.match(await textAt(page, '[data-news]'), /Pagamento: Paga/);
  assert.equal(
    await page.evaluate(`document.querySelector('${form} [name=reason]').value`),
    'cliente desistiu',
  );
  assert.equal(await page.evaluate('document.activeElement.name'), 'reason');
  assert.equal(await page.evaluate("document.querySelector('details.action').open"), true);

  await page.setOfflineMode(true);
  await page.evaluate(COME_BACK);
  await page.waitForFunction("document.querySelector('[data-away]').textContent !== ''");
  await page.screenshot({ path: join(PICTURES, 'not-live.png') });
  await page.setOfflineMode(false);
  await page.evaluate(COME_BACK);
  await page.waitForFunction("document.querySelector('[data-away]').textContent === ''");
  assert.equal(await textAt(page, '[data-news]'), 'Atualização retomada');

  await page.deleteCookie(...(await page.cookies()));
  await Promise.all([page.waitForNavigation(), page.evaluate(COME_BACK)]);
  assert.match(page.url(), /\/console\/sign-in\?next=/);
  await page.browserContext().close();
});

test('nothing is asked while nobody looks at a page', { skip }, async () => {
  const page = await newPage('desk');
  await enter(page, null);
  await page.goto(`${origin}/console/health`);
  let asked = 0;
  page.on('request', (request) => {
    if (request.headers()['x-parcela-live'] !== undefined) asked += 1;
  });
  await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => window.isAway !== false });
    window.timers = [];
    const set = window.setTimeout;
    window.setTimeout = (work, pause) => { window.timers.push(pause); return set(work, pause); };
    ${COME_BACK}`);
  assert.deepEqual(await page.evaluate('window.timers'), []);
  assert.equal(asked, 0);
  const again = page.waitForResponse((answer) => answer.url().endsWith('/console/health'));
  await page.evaluate(`window.isAway = false; ${COME_BACK}`);
  await again;
  await page.waitForFunction('window.timers.length > 0');
  await page.browserContext().close();
});

test('hostile texts are never executed', { skip }, async () => {
  const page = await newPage('desk');
  const hostile = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  await service.auditor.query('update merchants set legal_name = $1 where merchant_id = $2', [
    hostile,
    merchantId,
  ]);
  await enter(page, null);
  for (const path of [
    '/merchants',
    '/merchants/{merchantId}/payments',
    '/merchants/{merchantId}/payments?status=Paga',
  ]) {
    await page.goto(addressOf(path));
    assert.notEqual(await page.title(), 'run', path);
    assert.equal(await page.$('main img, header img'), null);
  }
  await page.click('.keep summary');
  await page.type('.keep [name=name]', hostile.slice(0, 40));
  await press(page, '.keep button');
  assert.notEqual(await page.$('.saved a'), null, 'it is kept');
  assert.equal(await page.$('main img'), null);
  await page.type('#q', hostile.slice(0, 60));
  await press(page, '.search button');
  assert.match(await page.$eval('main', (main) => main.textContent ?? ''), /onerror/);
  assert.notEqual(await page.title(), 'run');
  assert.equal(await page.$('main img, header img'), null);
  await page.browserContext().close();
});

test('a receipt, the sheet of a day and a payment are whole on A4, without what is for screens', {
  skip,
}, async () => {
  const page = await newPage('desk');
  await enter(page, null);
  for (const [name, path] of [
    ['receipt', '/merchants/{merchantId}/payments/{paymentId}/receipt'],
    ['day-sheet', '/merchants/{merchantId}/reconciliation/days/{day}'],
    ['payment', '/merchants/{merchantId}/payments/{paymentId}'],
  ] as const) {
    await page.goto(addressOf(path));
    await page.pdf({ path: join(PICTURES, `${name}-a4.pdf`), preferCSSPageSize: true });
    await page.emulateMediaType('print');
    // What stands between the margins of a sheet.
    await page.setViewport({ width: Math.floor(((210 - 32) / 25.4) * 96), height: 1_000 });
    await page.screenshot({ path: join(PICTURES, `${name}-a4.png`), fullPage: true });
    assert.equal(await isTooWide(page), false, `${name} is wider than A4`);
    const isCut = `[...document.querySelectorAll('.scroll')].some((one) => one.scrollWidth > one.clientWidth + 1)`;
    assert.equal(await page.evaluate(isCut), false, `a table of ${name} is cut`);
    const isShown = `[...document.querySelectorAll('nav.main, .search, .user, footer, details.action, .unprinted')]
      .filter((one) => getComputedStyle(one).display !== 'none').map((one) => one.className || one.tagName)`;
    assert.deepEqual(await page.evaluate(isShown), [], `what is for screens is printed on ${name}`);
    await page.emulateMediaType();
    await page.setViewport(WINDOWS.desk);
  }
  await page.browserContext().close();
});
