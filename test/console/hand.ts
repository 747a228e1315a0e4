import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import type { Role } from '../../src/console/parts/user.ts';
import { until } from '../kit/service.ts';
import { type Look, type TestBrowser, wordsOn } from './test-browser.ts';
import { UNDER_WAY } from './visitor.ts';

/** Of what is seen and is so called; `near`: words of its row, its form or its part of the page. */
const FIND = `(kind, words, near) => [...document.querySelectorAll(kind)].find((one) => {
  const plain = (text) => text.replaceAll(/\\s+/g, ' ').trim();
  if (!one.checkVisibility() || plain(one.innerText) !== words) return false;
  if (near === '') return true;
  const around = one.closest('tr') ?? one.closest('form, section, li') ?? document.body;
  return plain(around.innerText).includes(near);
}) ?? null`;
const LEADS = 'a[href], button:not([popovertarget])';
const STAYS = 'summary, button[popovertarget], code.copy';

/** A page is loaded again where nothing has come by itself for so long. */
const PATIENCE_MILLISECONDS = 2_000;

const FIELD = `(label) => {
  const found = [...document.querySelectorAll('label')].find((one) => one.checkVisibility() && one.innerText.trim() === label);
  return found === undefined ? null : document.getElementById(found.htmlFor);
}`;

/**
 * Somebody at the console with mouse and keyboard. Counted from the first page behind the sign-in: each
 * press of a link, a button or what opens a form, Enter in the search, and two for a list of choices. What
 * is typed is not.
 */
export class Hand {
  readonly page: Page;
  readonly name: string;
  clicks = 0;
  pages = 1;

  private constructor(page: Page, name: string) {
    this.page = page;
    this.name = name;
  }

  static async at(browser: TestBrowser, role: Role, merchantId: string | null, look?: Look): Promise<Hand> {
    const page = await browser.newPage(look);
    const hand = new Hand(page, await browser.enter(page, merchantId, role));
    await hand.#arrive();
    return hand;
  }

  /** A link or the button of a form. */
  async press(words: string, near = ''): Promise<void> {
    const found = await this.#find(LEADS, words, near);
    this.clicks += 1;
    await this.#leave(() => found.click());
  }

  /** What shows more of its page, or is chosen to be copied. */
  async open(words: string, near = ''): Promise<void> {
    const found = await this.#find(STAYS, words, near);
    this.clicks += 1;
    await found.click();
  }

  /** A link that is saved and not shown; gives the file once it is whole. */
  async save(words: string, folder: string): Promise<{ readonly name: string; readonly content: Buffer }> {
    const session = await this.page.browserContext().browser()?.target().createCDPSession();
    const { id: browserContextId } = this.page.browserContext();
    assert.ok(session !== undefined && browserContextId !== undefined);
    await session.send('Browser.setDownloadBehavior', {
      behavior: 'allow',
      browserContextId,
      downloadPath: folder,
    });
    const found = await this.#find(LEADS, words, '');
    this.clicks += 1;
    await found.click();
    const name = await until('it is saved', async () =>
      (await readdir(folder)).find((one) => !one.endsWith('.crdownload') && !one.startsWith('.')),
    );
    return { name, content: await readFile(join(folder, name)) };
  }

  async type(label: string, text: string): Promise<void> {
    const field = await this.#element(`(${FIELD})(${JSON.stringify(label)})`, label);
    // How a date is typed depends on the language of the machine.
    const isDay = await field.evaluate((one) => (one as unknown as { type: string }).type === 'date');
    await field.evaluate((one, value) => Object.assign(one, { value }), isDay ? text : '');
    if (!isDay) await field.type(text);
  }

  async choose(label: string, words: string): Promise<void> {
    const field = await this.#element(`(${FIELD})(${JSON.stringify(label)})`, label);
    this.clicks += 2;
    const value = await field.evaluate((one, wanted) => {
      const { options } = one as unknown as { options: Iterable<{ text: string; value: string }> };
      return [...options].find(({ text }) => text === wanted)?.value ?? null;
    }, words);
    assert.ok(value !== null, `${label} has no ${words}`);
    await field.select(value);
  }

  async search(text: string): Promise<void> {
    await this.page.type('#q', text);
    this.clicks += 1;
    await this.#leave(() => this.page.keyboard.press('Enter'));
  }

  words(selector = 'main'): Promise<string> {
    return wordsOn(this.page, selector);
  }

  /** What follows behind an answer comes onto the page by itself, or is there when it is loaded again. */
  async sees(words: RegExp): Promise<string> {
    const isThere = `(source) => new RegExp(source).test(document.querySelector('main').innerText.replaceAll(/\\s+/g, ' '))`;
    return until(`${words} is seen`, async () => {
      const waits = this.page.waitForFunction(`(${isThere})(${JSON.stringify(words.source)})`, {
        polling: 'mutation',
        timeout: PATIENCE_MILLISECONDS,
      });
      const isSeen = await waits.then(
        () => true,
        () => false,
      );
      if (isSeen) return this.words();
      await this.page.reload();
      return null;
    }).catch(async () => assert.match(await this.words(), words) as never);
  }

  #find(kind: string, words: string, near: string): Promise<ElementHandle> {
    const asked = [kind, words, near].map((text) => JSON.stringify(text)).join(', ');
    return this.#element(`(${FIND})(${asked})`, words);
  }

  async #element(expression: string, words: string): Promise<ElementHandle> {
    const found = (await this.page.evaluateHandle(expression)).asElement();
    assert.ok(
      found !== null,
      `nothing is called ${words} on ${this.page.url()}: ${await this.words('body')}`,
    );
    return found as ElementHandle;
  }

  async #leave(press: () => Promise<unknown>): Promise<void> {
    await Promise.all([this.page.waitForNavigation(), press()]);
    this.pages += 1;
    await this.#arrive();
  }

  async #arrive(): Promise<void> {
    await this.page.waitForFunction(`document.querySelector('[${UNDER_WAY}]') === null`, {
      polling: 'mutation',
    });
  }
}
