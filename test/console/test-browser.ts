import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser, type HTTPResponse, type Page } from 'puppeteer-core';
import type { Role } from '../../src/console/parts/user.ts';
import { programPath, skipWithout } from '../../tools/test-programs.ts';
import { patiently } from '../kit/patience.ts';
import type { TestService } from '../kit/service.ts';
import { invite, UNDER_WAY } from './visitor.ts';

/** Kept to be looked at; git ignores them. */
const PICTURES = fileURLToPath(new URL('../../coverage/console/', import.meta.url));
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
export const WINDOWS = {
  desk: { width: 1280, height: 900 },
  phone: { width: 375, height: 760 },
} as const;

export type Look = {
  readonly window: keyof typeof WINDOWS;
  readonly scheme: 'light' | 'dark';
  readonly language: 'pt-BR' | 'en';
};
export const DESK: Look = { window: 'desk', scheme: 'light', language: 'pt-BR' };

export const withoutChromium = skipWithout('chromium');

const CHROMIUM: string[] = [
  // Root has no sandbox; nothing but our own pages is opened.
  ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'],
  // Of two frames that get a process each at once, puppeteer may lose one: what is asked in it waits for
  // ever. Which origin may read which frame is the same within one process.
  ...['--disable-site-isolation-trials', '--disable-features=IsolateOrigins,site-per-process'],
];

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Debian's Chromium at a console; each page is somebody of its own. */
export class TestBrowser {
  readonly origin: string;
  readonly #service: Pick<TestService, 'database'>;
  readonly #browser: Browser;
  readonly #profile: string;

  private constructor(
    origin: string,
    service: Pick<TestService, 'database'>,
    browser: Browser,
    profile: string,
  ) {
    this.origin = origin;
    this.#service = service;
    this.#browser = browser;
    this.#profile = profile;
  }

  static async open(service: Pick<TestService, 'database' | 'gatewayUrl'>): Promise<TestBrowser> {
    const profile = await mkdtemp(join(tmpdir(), 'parcela-chromium-'));
    await mkdir(PICTURES, { recursive: true });
    const browser = await puppeteer.launch({
      executablePath: programPath('chromium') ?? '',
      userDataDir: profile,
      timeout: patiently(60_000),
      protocolTimeout: patiently(120_000),
      // A copy: puppeteer takes out what it reads.
      args: [...CHROMIUM],
    });
    // Passkeys are bound to a name.
    const origin = new URL(service.gatewayUrl).origin.replace('//127.0.0.1:', '//localhost:');
    return new TestBrowser(origin, service, browser, profile);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await rm(this.#profile, { recursive: true, force: true });
  }

  async newPage(look: Look = DESK): Promise<Page> {
    const context = await this.#browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(patiently(30_000));
    await wear(page, look);
    return page;
  }

  /** Somebody new who has come in by a link; gives the name. */
  async enter(page: Page, merchant: string | null, role: Role = 'admin'): Promise<string> {
    const { name, path } = await invite(this.#service, role, merchant);
    await page.goto(this.origin + path);
    await press(page, 'form:not([data-passkey]) button');
    return name;
  }

  /** A new page of somebody who is in. */
  async visit(merchant: string | null, role: Role = 'admin'): Promise<Page> {
    const page = await this.newPage();
    await this.enter(page, merchant, role);
    return page;
  }

  /** What is still being read appears on its page by itself. */
  async goTo(page: Page, path: string): Promise<HTTPResponse> {
    const answer = await page.goto(`${this.origin}/console${path}`);
    assert.ok(answer !== null);
    const isWhole = `document.querySelector('[${UNDER_WAY}]') === null`;
    await page.waitForFunction(isWhole, { polling: 'mutation' });
    return answer;
  }
}

export async function wear(page: Page, { window, scheme, language }: Look): Promise<void> {
  await page.setViewport(WINDOWS[window]);
  await page.setExtraHTTPHeaders({ 'accept-language': language });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
}

/** Presses the button of a form that leads elsewhere. */
export async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)]);
}

/** Opens the form that leads there, fills it in and sends it. */
export async function send(
  page: Page,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  const form = `form[action$="${action}"]`;
  await page.evaluate(
    `(() => { const one = document.querySelector('${form}')?.closest('details'); if (one) one.open = true; })()`,
  );
  for (const [name, value] of Object.entries(fields)) {
    const field = `${form} [name=${name}]`;
    const tag = await page.$eval(field, (one) => one.tagName);
    if (tag === 'SELECT') await page.select(field, value);
    else {
      await page.evaluate(`document.querySelector('${field}').value = ''`);
      await page.type(field, value);
    }
  }
  await press(page, `${form} button`);
}

/** In two steps: what is to go back, and then that it shall. */
export async function giveBack(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  await send(page, '/give-back', fields);
  await send(page, '/cancel');
}

/** The words that are seen of a page. */
export async function wordsOn(page: Page, selector = 'main'): Promise<string> {
  const text = (await page.evaluate(`document.querySelector('${selector}').innerText`)) as string;
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Everything that axe knows of WCAG 2.2 A and AA, and of good practice. */
async function violationsOn(page: Page): Promise<string[]> {
  // What the protocol of the browser evaluates is not under the policy of the page, which stays as it is.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const found = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as Violation[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** No wider than the window: what is wide scrolls by itself. */
export async function isTooWide(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')) as boolean;
}

/** The tables of which something stands beyond their window, by their names. */
export async function cutTables(page: Page): Promise<string[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)`,
  )) as string[];
}

export const pictureAt = (file: string) => join(PICTURES, file);

/** The whole page as it is laid out now: the browser's own measure may be of the moment before. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const [width, height] = (await page.evaluate(
    '[innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]',
  )) as [number, number];
  const clip = { x: 0, y: 0, width, height };
  await page.screenshot({ path: pictureAt(`${name}.png`), clip, optimizeForSpeed: true });
}

/** Keeps a picture of the page; what it is not as every page must be. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  await keepPicture(page, name);
  const tooWide = (await isTooWide(page)) ? ['it is wider than its window'] : [];
  const cut = (await cutTables(page)).map((table) => `the table ${table} is cut`);
  return [...(await violationsOn(page)), ...tooWide, ...cut].map((fault) => `${name}: ${fault}`);
}

/** Keeps a picture of the page, and holds it to what every page must be. */
export async function lookAt(page: Page, name: string): Promise<void> {
  assert.deepEqual(await faultsOf(page, name), []);
}
