import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import {
  AFTER_RESTORE,
  CASE,
  CHARTS,
  DAY_SHEET,
  EXCEPTION,
  FILES,
  HEALTH,
  PAYMENT,
  RECEIPT,
  SEARCH,
} from '../../src/console/parts/paths.ts';
import { ALL_SCREENS } from '../../tools/console-pages.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { sliceOf, turnOf } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import { type FilledConsole, type FilledThings, fillConsole } from './filled-console.ts';
import {
  cutTables,
  DESK,
  faultsOf,
  isTooWide,
  keepPicture,
  type Look,
  pictureAt,
  press,
  send,
  TestBrowser,
  WINDOWS,
  wear,
  withoutChromium,
  wordsOn,
} from './test-browser.ts';
import { invite } from './visitor.ts';

const skip = withoutChromium;

let filled: FilledConsole;
let browser: TestBrowser;
before(async () => {
  if (skip !== false) return;
  filled = await fillConsole();
  browser = await TestBrowser.open(filled.service);
});
after(async () => {
  if (skip !== false) return;
  await browser?.close();
  await filled?.close();
});

/** The path of a screen with what stands in it; exceptions are named as cases are. */
function pathWith(path: string): string {
  const { things } = filled;
  const values: FilledThings = path === EXCEPTION ? { id: things.exceptionId ?? '' } : things;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** `/merchants/{merchantId}/payments/{paymentId}`: `merchant-payments-one`. */
const nameOf = (path: string) =>
  path
    .slice(1)
    .replace('merchants/{merchantId}/', 'merchant-')
    .replaceAll(/\{\w+\}/g, 'one')
    .replaceAll('/', '-');

/** Nothing is found until somebody looks for something, and no restore holds anything. */
const EMPTY_AS_THEY_OPEN: readonly string[] = [SEARCH, AFTER_RESTORE.operator, AFTER_RESTORE.merchant];
/** The month in which something came of the sales: today no charge was made again. */
const CHARTS_OF_MONTH = `${CHARTS}?from={soldOn}&to={monthOn}`;

const PHONE: Look = { ...DESK, window: 'phone' };
const DARK: Look = { window: 'desk', scheme: 'dark', language: 'en' };
const IN_ENGLISH: Look = { ...DESK, language: 'en' };
const LOOKS = sliceOf(3, 1);
/** Of so many pages one is looked at; in the proof each. */
const PAGES_OF_ONE = 12;

/** What is wrong on a desk in English; in the proof on a desk and a phone in Portuguese, then in the dark. */
async function faultsFrom(page: Page, name: string, open: () => Promise<void>): Promise<string[]> {
  if (LOOKS === 1) {
    await wear(page, IN_ENGLISH);
    await open();
    return faultsOf(page, `${name}-desk-light`);
  }
  await wear(page, DESK);
  await open();
  const onDesk = await faultsOf(page, `${name}-desk-light`);
  await wear(page, PHONE);
  const onPhone = await faultsOf(page, `${name}-phone-light`);
  await wear(page, DARK);
  await open();
  return [...onDesk, ...onPhone, ...(await faultsOf(page, `${name}-desk-dark`))];
}

async function lookFrom(page: Page, name: string, open: () => Promise<void>): Promise<void> {
  assert.deepEqual(await faultsFrom(page, name, open), []);
}

const OPEN_ALL = 'for (const one of document.querySelectorAll("details")) one.open = true';

test('pages have their things, in the proof every one, and are good to use in each window, scheme and language', {
  skip,
}, async () => {
  const page = await browser.newPage();
  const { path: link } = await invite(filled.service, 'admin', null);
  await lookFrom(page, 'sign-in', async () => void (await browser.goTo(page, '/sign-in')));
  await lookFrom(page, 'welcome', async () => void (await page.goto(browser.origin + link)));
  await browser.enter(page, null);
  await browser.goTo(page, pathWith('/merchants/{merchantId}/payments?status=Paga'));
  await send(page, '/filters', { name: 'Pagas' });
  const [empty, faults]: [string[], string[]] = [[], []];
  const pages = ALL_SCREENS.filter(({ isFile }) => isFile !== true);
  const looked = turnOf(pages, 0, PAGES_OF_ONE);
  for (const { path } of looked) {
    const found = await faultsFrom(page, nameOf(path), async () => {
      const answer = await browser.goTo(page, pathWith(path === CHARTS ? CHARTS_OF_MONTH : path));
      assert.equal(answer.status(), 200, path);
      await page.evaluate(OPEN_ALL);
    });
    faults.push(...found);
    const { length } = await page.$$('.empty:not([data-under-way])');
    // Deliveries are shown by real time, and today's may be outside of the month's days.
    if (length > (path === CHARTS ? 1 : 0)) empty.push(path);
  }
  assert.deepEqual(faults, []);
  const paths = looked.map(({ path }) => path);
  assert.deepEqual(
    empty,
    EMPTY_AS_THEY_OPEN.filter((path) => paths.includes(path)),
  );
  await page.browserContext().close();
});

test('on a phone the menu is a drawer that opens without a script, by the keyboard too', {
  skip,
}, async () => {
  const page = await browser.visit(null);
  await page.setRequestInterception(true);
  page.on('request', (asked) => (asked.resourceType() === 'script' ? asked.abort() : asked.continue()));
  for (const scheme of ['light', 'dark'] as const) {
    await wear(page, { ...PHONE, scheme });
    await browser.goTo(page, pathWith('/merchants/{merchantId}/payments/{paymentId}'));
    assert.equal(await page.evaluate("document.querySelector('#menu').checkVisibility()"), false);
    await page.focus('button.menu');
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.querySelector('#menu').checkVisibility()");
    const words = await wordsOn(page, '#menu');
    assert.match(
      words,
      /Vendas Hoje Pagamentos .*Recorrência .*Financeiro .*Desenvolvedores .*Equipe .*Operador$/,
    );
    assert.deepEqual(await page.$$eval('#menu [aria-current]', (all) => all.map((one) => one.textContent)), [
      'Pagamentos',
    ]);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate("document.activeElement.closest('#menu') !== null"), true);
    assert.deepEqual(await faultsOf(page, `menu-phone-${scheme}`), []);
    await page.keyboard.press('Escape');
    await page.waitForFunction("!document.querySelector('#menu').checkVisibility()");
  }
  await wear(page, DESK);
  assert.equal(await page.evaluate("document.querySelector('#menu').checkVisibility()"), true);
  await page.browserContext().close();
});

/** What a page shows beside the way it opens, by the name of its picture. */
const MORE = {
  'declined-payment': '/merchants/{merchantId}/payments/{declinedId}',
  'denied-billing': '/merchants/{merchantId}/billings/{deniedBillingId}',
  'charts-of-today': CHARTS,
  'no-payment': '/merchants/{merchantId}/payments?lastFour=9999',
  'wrong-filter': '/merchants/{merchantId}/payments?lastFour=x',
} as const;

test('what is declined, denied, not there or wrongly asked for is good to read too', { skip }, async () => {
  const page = await browser.visit(null);
  for (const [name, path] of Object.entries(MORE))
    await lookFrom(page, name, async () => void (await browser.goTo(page, pathWith(path))));
  assert.match(await wordsOn(page, '[role=alert]'), /^Last four: /);
  await lookFrom(page, 'found', async () => {
    await browser.goTo(page, pathWith('/merchants/{merchantId}'));
    await page.type('#q', filled.things.documentNumber ?? '');
    await press(page, '.search button');
  });
  assert.match(await wordsOn(page), /P-1001/);
  await browser.goTo(page, FILES);
  assert.match(await wordsOn(page), /Days with a file .* \d+ missing \d\d\//);
  await page.browserContext().close();
});

/** So many at once are more than the acquirer is asked by one user. */
const ASK_OFTEN = `(() => {
  const form = document.querySelector('form[action$="/ask"]');
  return Promise.all(Array.from({ length: 12 }, () => {
    const body = new URLSearchParams(new FormData(form));
    body.set('once', crypto.randomUUID());
    return fetch(form.action, { method: 'POST', body }).then(({ status }) => status);
  }));
})()`;

test('errors say what to do: not found, not allowed, wrongly filled in, too often', { skip }, async () => {
  const merchantId = filled.things.merchantId ?? '';
  const path = pathWith('/merchants/{merchantId}/payments/{paymentId}');
  const viewer = await browser.visit(merchantId, 'viewer');
  await lookFrom(viewer, 'error-404', async () => {
    assert.equal((await browser.goTo(viewer, '/nowhere')).status(), 404);
    assert.notEqual(await viewer.$('#q'), null, 'its own merchant is still at hand');
  });
  await lookFrom(viewer, 'error-403', async () => {
    const credentials = pathWith('/merchants/{merchantId}/credentials');
    assert.equal((await browser.goTo(viewer, credentials)).status(), 403);
  });
  await viewer.browserContext().close();
  const admin = await browser.visit(null);
  await lookFrom(admin, 'error-429', async () => {
    await until('the acquirer is asked too often', async () => {
      await browser.goTo(admin, pathWith(CASE));
      await admin.evaluate(ASK_OFTEN);
      await send(admin, '/ask');
      return /Espere alguns segundos|Wait some seconds/.test(await wordsOn(admin));
    });
  });
  await admin.browserContext().close();
  const finance = await browser.visit(merchantId, 'finance');
  await lookFrom(finance, 'error-400', async () => {
    await browser.goTo(finance, path);
    await send(finance, '/give-back', { amount: '10,00', reason: 'escreveu zeca@cliente.example' });
    assert.match(await wordsOn(finance, '[role=alert]'), /Um motivo não pode|names no person/);
  });
  await finance.browserContext().close();
});

test('a receipt, the sheet of a day and a payment are whole on A4, without what is for screens', {
  skip,
}, async () => {
  const page = await browser.visit(null);
  for (const [name, path] of [
    ['receipt', RECEIPT],
    ['day-sheet', DAY_SHEET],
    ['payment', PAYMENT],
  ] as const) {
    await browser.goTo(page, pathWith(path));
    await page.pdf({ path: pictureAt(`${name}-a4.pdf`), preferCSSPageSize: true });
    await page.emulateMediaType('print');
    // What stands between the margins of a sheet.
    await page.setViewport({ width: Math.floor(((210 - 32) / 25.4) * 96), height: 1_000 });
    await page.screenshot({ path: pictureAt(`${name}-a4.png`), fullPage: true });
    assert.equal(await isTooWide(page), false, `${name} is wider than A4`);
    assert.deepEqual(await cutTables(page), [], name);
    const isShown = `[...document.querySelectorAll('nav.main, .search, .user, footer, details.action, .unprinted')]
      .filter((one) => getComputedStyle(one).display !== 'none').map((one) => one.className || one.tagName)`;
    assert.deepEqual(await page.evaluate(isShown), [], `what is for screens is printed on ${name}`);
    await page.emulateMediaType();
    await page.setViewport(WINDOWS.desk);
  }
  await page.browserContext().close();
});

test('a user makes a passkey, signs out, and signs in with it; the same answer opens nothing again', {
  skip,
}, async () => {
  const page = await browser.newPage();
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
  const { name, path } = await invite(filled.service, 'admin', null);
  await page.goto(browser.origin + path);
  await press(page, 'form[data-passkey=create] button');
  assert.match(page.url(), /\/console\/merchants\/[^/]+\/today$/);
  const keys = await filled.service.auditor.query(
    'select 1 from console_passkeys p join console_users u using (user_id) where u.name = $1',
    [name],
  );
  assert.equal(keys.length, 1);
  await press(page, '.user button');
  assert.equal(page.url(), `${browser.origin}/console/sign-in`);
  await page.goto(`${browser.origin}/console/audit?action=user.signIn`);
  await keepPicture(page, 'sign-in-again');
  let sent = '';
  page.on('request', (request) => {
    if (request.method() === 'POST') sent = request.postData() ?? sent;
  });
  await press(page, 'form[data-passkey=get] button');
  assert.equal(page.url(), `${browser.origin}/console/audit?action=user.signIn`);
  assert.ok((await page.content()).includes(`user:${name}`));
  const replayed = await fetch(`${browser.origin}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: browser.origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: sent,
  });
  assert.equal(replayed.status, 401);
  assert.equal(replayed.headers.get('set-cookie'), null);
  await page.browserContext().close();
});

test('a visitor without a passkey reads so on the page, and stays outside', { skip }, async () => {
  const page = await browser.newPage();
  const client = await page.createCDPSession();
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
  });
  await page.goto(`${browser.origin}/console/sign-in`);
  await page.click('form[data-passkey=get] button');
  await page.waitForSelector('[data-fault]:not([hidden])');
  assert.equal(page.url(), `${browser.origin}/console/sign-in`);
  await page.browserContext().close();
});

test('everything behind the sign-in works without JavaScript: a payment is found and given back', {
  skip,
}, async () => {
  const page = await browser.newPage({ ...DESK, window: 'phone' });
  await page.setRequestInterception(true);
  page.on('request', (asked) => (asked.resourceType() === 'script' ? asked.abort() : asked.continue()));
  await browser.enter(page, filled.things.merchantId ?? '');
  await page.type('#q', 'PEDIDO-8001');
  await press(page, '.search button');
  assert.equal(page.url(), `${browser.origin}/console${pathWith(PAYMENT)}`);
  await page.click('details.action summary');
  await page.evaluate("document.querySelector('details.action [name=amount]').value = '10,00'");
  await page.type('details.action [name=reason]', 'cliente devolveu um item');
  await press(page, 'details.action button');
  assert.match(await wordsOn(page), /Valor a devolver R\$ 10,00/);
  await press(page, 'form[action$="/cancel"] button');
  const text = (await page.content()).replaceAll('&nbsp;', ' ');
  assert.match(text, /Solicitação aceita: veja o status do pagamento/);
  await keepPicture(page, 'given-back-phone');
  await page.browserContext().close();
});

test('a list that is read again has the days of now in its filters, and keeps what somebody types', {
  skip,
}, async () => {
  const { service, things } = filled;
  const page = await browser.visit(things.merchantId ?? '');
  await browser.goTo(page, `/merchants/${things.merchantId}/payments`);
  const from = "document.querySelector('[name=dateRangeStartDate]')";
  const today = await page.evaluate(`${from}.value`);
  // As a page that was opened the day before has it.
  await page.evaluate(`${from}.defaultValue = '2020-01-01'`);
  assert.equal(await page.evaluate(`${from}.value`), '2020-01-01');
  await page.type('[name=lastFour]', '12');
  await pay(service.gatewayUrl, await logIn(service.gatewayUrl, (await service.demo()).gateway), 7_100);
  await page.evaluate(COME_BACK);
  await page.waitForFunction(`${from}.value === '${today}'`);
  assert.equal(await page.evaluate("document.querySelector('[name=lastFour]').value"), '12');
  await page.browserContext().close();
});

/** Somebody comes back to the page: it is read again at once. */
const COME_BACK = "document.dispatchEvent(new Event('visibilitychange'))";

const textAt = (page: Page, selector: string) =>
  page.evaluate(`document.querySelector('${selector}')?.textContent ?? ''`) as Promise<string>;

test('a page that is read again draws what changed alone, says it, and says when it is not live', {
  skip,
}, async () => {
  const { service, things } = filled;
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const { reply } = await pay(service.gatewayUrl, token, 7_000);
  const { paymentId: id } = reply.body.paymentAuthorization;
  const page = await browser.visit(things.merchantId ?? '');
  await browser.goTo(page, `/merchants/${things.merchantId}/payments/${id}`);
  await until('what follows the payment is on the page', async () => {
    const read = page.waitForResponse((answer) => answer.url().includes(id));
    await page.evaluate(COME_BACK);
    return (await read).status() === 304 ? true : null;
  });
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

  const form = 'form[action$="/give-back"]';
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
  await keepPicture(page, 'not-live');
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
  const page = await browser.visit(null);
  await browser.goTo(page, HEALTH);
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
  const page = await browser.newPage();
  const hostile = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  await filled.service.auditor.query('update merchants set legal_name = $1 where merchant_id = $2', [
    hostile,
    filled.things.merchantId,
  ]);
  await browser.enter(page, null);
  for (const path of [
    '/merchants',
    '/merchants/{merchantId}/payments',
    '/merchants/{merchantId}/payments?status=Paga',
  ]) {
    await browser.goTo(page, pathWith(path));
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
