import brandList from '../../values/card-brands.json' with { type: 'json' };
import { BRAND_NAMES } from '../../values/card-number.ts';
import type { Instant } from '../../values/instant.ts';
import { escapedMarkup } from '../../values/markup.ts';
import { htmlPage, pageHeaders } from './page-of-payer.ts';

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; background: #eef0f3; color: var(--text, #111); font: 16px/1.5 Helvetica, Arial, sans-serif; }
main { max-width: 28rem; margin: 0 auto; padding: 1rem; background: #fff; }
:root.framed, .framed body, .framed main { max-width: none; background: var(--paper, #fff); font-family: var(--family, Helvetica, Arial, sans-serif); font-size: var(--size, 16px); }
.framed main { padding: 0.6rem; }
h1 { font-size: 1.4rem; margin: 0.5rem 0; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.5rem 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
.notice { font-weight: bold; }
label { display: block; margin-top: 0.8rem; }
input, select { width: 100%; padding: 0.6rem; border: 1px solid var(--border, #767676); border-radius: var(--radius, 4px); background: var(--field, #fff); color: inherit; font: inherit; }
[aria-invalid] { border-color: var(--fault, #b00020); }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.fault, #answer { color: var(--fault, #b00020); }
#answer { font-weight: bold; }
.framed #answer:empty { margin: 0; }
.fault { display: block; min-height: 1.5rem; }
.brand { float: right; color: var(--text, #555); }
button, a.button { display: block; width: 100%; margin-top: 1rem; padding: 0.8rem; border: 0; border-radius: 4px; background: #0b4fa8; color: #fff; font: inherit; font-weight: bold; text-align: center; text-decoration: none; cursor: pointer; }
.quiet { border: 1px solid #0b4fa8; background: #fff; color: #0b4fa8; }
summary { margin-top: 1.5rem; padding: 0.8rem 0; border-top: 1px solid #c4c4c4; font-size: 1.1rem; font-weight: bold; cursor: pointer; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.3rem 0.5rem 0.3rem 0; text-align: left; vertical-align: top; }
th { color: #555; font-weight: normal; }
svg { display: block; width: 100%; height: auto; }
.copy { font-family: ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; user-select: all; }
button:disabled { background: #595959; cursor: default; }
:focus-visible { outline: 3px solid #f2a900; outline-offset: 2px; }
`;

/** Browsers check the style against this hash. A test computes it again. */
const STYLE_HASH = 'sha256-RgCtbpJWsOrcZz+2X109ZwQiRgQF0Y6DwhlzKVw7oNg=';

/** What the browser runs: the text of the page's one script, and its hash. */
export type PageScript = { readonly text: string; readonly hash: string };

/** `ancestors`: the origins on whose pages the card page may stand in a frame. */
export function cardPageHeaders(script: PageScript, ancestors: readonly string[] = []) {
  return { ...pageHeaders(STYLE_HASH, script.hash, ancestors), 'cache-control': 'no-store' };
}

/** What the script encrypts a card with. All of it is public. */
export type CardKeyGiven = {
  readonly merchantId: string;
  readonly publicKey: string;
  /** Real time, by the clock of the service. */
  readonly now: Instant;
};

export type CardPage = CardKeyGiven & {
  readonly title: string;
  readonly heading: string;
  /**
   * What the reader must know first. Written unescaped, as `title` and `heading` are: words of ours alone.
   */
  readonly notice: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Markup below the facts: what the payer can do and see. */
  readonly below: string;
  /** After so many seconds the page loads itself again; null: it stays as it is. */
  readonly refreshSeconds: number | null;
};

/** A page whose script encrypts cards and sends what buttons with `data-send` name. */
export function cardPage(page: CardPage, script: PageScript): string {
  const { title, heading, notice, facts, below, refreshSeconds } = page;
  return htmlPage({
    title,
    style: STYLE,
    content: `<h1>${heading}</h1>
<p class="notice">${notice}</p>
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapedMarkup(value)}</dd>`).join('\n')}
</dl>
<p id="answer" role="alert" tabindex="-1"></p>
<p id="working" role="status" hidden>Aguarde. Não feche esta página.</p>${below}
${scriptWith({ ...page, more: { refreshSeconds } }, script)}`,
  });
}

/** A page of card fields alone, for a frame on the page of a shop. */
export function framedCardPage(
  { title, notDone, ...given }: Given & { readonly title: string; readonly notDone: string },
  script: PageScript,
): string {
  return htmlPage({
    title,
    style: STYLE,
    content: `<p id="answer" role="alert" tabindex="-1"></p>${scripted(cardForm({ heading: null, button: null, notDone }))}
${scriptWith(given, script)}`,
  });
}

type Given = CardKeyGiven & { readonly more: object };

/** Adds what the card fields need: how brands are recognized and named. */
function scriptWith({ merchantId, publicKey, now, more }: Given, script: PageScript): string {
  const given = {
    key: publicKey,
    merchantId,
    now: new Date(now).toISOString(),
    brands: brandList.brands,
    brandNames: BRAND_NAMES,
    ...more,
  };
  return `<script type="application/json" id="given">${JSON.stringify(given).replaceAll('<', '\\u003c')}</script>
<script>${script.text}</script>`;
}

export function missingPage(title: string, words: string): string {
  return htmlPage({ title, style: STYLE, content: `<h1>${title}</h1>\n<p>${words}</p>` });
}

/** Puts a notice before markup that works only with the script. */
export function scripted(markup: string): string {
  return markup === '' ? '' : `\n${SCRIPT_NEEDED}${markup}`;
}

const SCRIPT_NEEDED =
  '<noscript><p>Ative o JavaScript do navegador: ele protege os dados do cartão.</p></noscript>';

export type CardForm = {
  /** Null: the form has none, because the page of the shop around the frame has its own. */
  readonly heading: string | null;
  /** Markup: what is asked beside the card. */
  readonly choice?: string;
  /** Null: the form has no button, because what sends it stands elsewhere. */
  readonly button: string | null;
  /** Shown to who sent the form, when nothing was done. */
  readonly notDone: string;
};

/** No field has a name, so that no browser can send one. Hidden until the script runs. */
export function cardForm({ heading, choice = '', button, notDone }: CardForm): string {
  const brands = Object.entries(BRAND_NAMES).map(
    ([brand, name]) => `<option value="${brand}">${name}</option>`,
  );
  return `
<form id="card" class="scripted" data-not-done="${notDone}" novalidate hidden>
${heading === null ? '' : `<h2>${heading}</h2>\n`}<label for="number">Número do cartão <span class="brand" id="number-brand"></span></label>
<input id="number" inputmode="numeric" autocomplete="cc-number" maxlength="23" required aria-describedby="number-brand number-fault">
<span class="fault" id="number-fault"></span>
<div id="brand-choice" hidden>
<label for="brand">Bandeira</label>
<select id="brand"><option value="">Escolha</option>${brands.join('')}</select>
</div>
<label for="holder">Nome impresso no cartão</label>
<input id="holder" autocomplete="cc-name" maxlength="30" required aria-describedby="holder-fault">
<span class="fault" id="holder-fault"></span>
<div class="pair">
<div>
<label for="expiry">Validade (mês/ano)</label>
<input id="expiry" inputmode="numeric" autocomplete="cc-exp" placeholder="08/30" maxlength="5" required aria-describedby="expiry-fault">
<span class="fault" id="expiry-fault"></span>
</div>
<div>
<label for="code">Código (CVV)</label>
<input id="code" inputmode="numeric" autocomplete="cc-csc" maxlength="4" required aria-describedby="code-fault">
<span class="fault" id="code-fault"></span>
</div>
</div>
${choice}${button === null ? '' : `\n<button id="pay" type="submit">${button}</button>`}
</form>`;
}
