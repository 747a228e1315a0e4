import type { Pix } from '../../transactions/methods/pix/pix.ts';
import {
  copyable,
  dayText,
  htmlPage,
  pageHeaders,
  reaisShown,
} from '../../transactions/payers/page-of-payer.ts';
import brandList from '../../values/card-brands.json' with { type: 'json' };
import { BRAND_NAMES } from '../../values/card-number.ts';
import { type Instant, instant, saoPauloDay, saoPauloText } from '../../values/instant.ts';
import { escapedMarkup } from '../../values/markup.ts';
import { qrCodeSvg } from '../../values/qr-code.ts';
import { type InstallmentOption, type Link, mayTry, type ShownState } from './link.ts';
import { NOT_ASKED } from './refusal-words.ts';

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; background: #eef0f3; color: #111; font: 16px/1.5 Helvetica, Arial, sans-serif; }
main { max-width: 28rem; margin: 0 auto; padding: 1rem; background: #fff; }
h1 { font-size: 1.4rem; margin: 0.5rem 0; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.5rem 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
.notice { font-weight: bold; }
label { display: block; margin-top: 0.8rem; }
input, select { width: 100%; padding: 0.6rem; border: 1px solid #767676; border-radius: 4px; background: #fff; color: #111; font: inherit; }
input[aria-invalid] { border-color: #b00020; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.fault, #answer { color: #b00020; }
#answer { font-weight: bold; }
.fault { display: block; min-height: 1.5rem; }
.brand { float: right; color: #555; }
button, a.button { display: block; width: 100%; margin-top: 1rem; padding: 0.8rem; border: 0; border-radius: 4px; background: #0b4fa8; color: #fff; font: inherit; font-weight: bold; text-align: center; text-decoration: none; cursor: pointer; }
.quiet { border: 1px solid #0b4fa8; background: #fff; color: #0b4fa8; }
svg { display: block; width: 100%; height: auto; }
.copy { font-family: ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; user-select: all; }
button:disabled { background: #595959; cursor: default; }
:focus-visible { outline: 3px solid #f2a900; outline-offset: 2px; }
`;

/** Browsers check the style against this hash. A test computes it again. */
const STYLE_HASH = 'sha256-HSnIl9I6+1c4V+X3f/JwWQ/ad9nMOk9VyqUdCskR4P0=';

/** What the browser runs: the text of the page's one script, and its hash. */
export type PageScript = { readonly text: string; readonly hash: string };

export function linkPageHeaders(script: PageScript) {
  return { ...pageHeaders(STYLE_HASH, script.hash), 'cache-control': 'no-store' };
}

export type LinkToPay = {
  readonly link: Link;
  readonly beneficiary: { readonly name: string };
  readonly shown: ShownState;
  readonly options: readonly InstallmentOption[];
  readonly isPixOffered: boolean;
  /** What the try under way is paid by. `code` null: it cannot be paid, or not yet. */
  readonly pix: (Pick<Pix, 'state' | 'isExpiring' | 'expiresAt'> & { readonly code: string | null }) | null;
  /** Of the service, in real time. */
  readonly now: Instant;
  readonly publicKey: string;
  /** Where the page leads back to; null: nowhere. */
  readonly returnAddress: string | null;
};

const REFRESH_SECONDS = 5;

/** Of a merchant's own words nothing is markup. */
export function linkPage(toPay: LinkToPay, script: PageScript): string {
  const { link, beneficiary, shown, returnAddress } = toPay;
  const facts: [string, string][] = [
    ['Vendedor', beneficiary.name],
    ['Descrição', link.description],
    ['Valor', reaisShown(link.amount)],
    ...(shown === 'open'
      ? [['Pague até', dayText(saoPauloDay(instant(link.expiresAt - 1)))] as [string, string]]
      : []),
  ];
  const back =
    returnAddress === null
      ? ''
      : `\n<a class="button" href="${escapedMarkup(returnAddress)}">Voltar ao vendedor</a>`;
  return htmlPage({
    title: shown === 'paid' ? 'Pagamento: pago' : 'Pagamento',
    style: STYLE,
    content: `<h1>Pagamento</h1>
<p class="notice">${noticeOf(toPay)}</p>
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapedMarkup(value)}</dd>`).join('\n')}
</dl>
<p id="answer" role="alert" tabindex="-1"></p>
<p id="working" role="status" hidden>Aguarde. Não feche esta página.</p>${waysToPay(toPay)}${back}
<script type="application/json" id="given">${givenTo(toPay)}</script>
<script>${script.text}</script>`,
  });
}

function waysToPay(toPay: LinkToPay): string {
  const { pix } = toPay;
  if (pix?.code != null) return pixToPay(pix.code, pix.expiresAt);
  const { byPix, byCard } = waysOf(toPay);
  if (!byPix && !byCard) return '';
  return `${SCRIPT_NEEDED}${byPix ? PIX_BUTTON : ''}${byCard ? cardForm(toPay) : ''}`;
}

const SCRIPT_NEEDED = `
<noscript><p>Para pagar, ative o JavaScript do navegador: ele protege os dados do cartão.</p></noscript>`;

/** Hidden until the script runs. */
const PIX_BUTTON = `
<div class="scripted" hidden>
<h2>Pix</h2>
<button id="by-pix" type="button">Pagar com Pix</button>
</div>`;

function pixToPay(code: string, until: Instant): string {
  return `
${qrCodeSvg(code)}
<p>Pix copia e cola, válido até ${saoPauloText(until).slice(11, 16)} (horário de Brasília):</p>
<p>${copyable(code)}</p>
<div class="scripted" hidden>
<button id="copy" type="button">Copiar código Pix</button>
<button id="not-by-pix" type="button" class="quiet">Pagar de outra forma</button>
</div>`;
}

function waysOf({ link, shown, isPixOffered }: LinkToPay) {
  const isOpen = shown === 'open';
  return { byPix: isOpen && isPixOffered && mayTry(link, 'pix'), byCard: isOpen && mayTry(link, 'card') };
}

/** The first thing that a buyer must read. */
function noticeOf(toPay: LinkToPay): string {
  switch (toPay.shown) {
    case 'open': {
      const { byPix, byCard } = waysOf(toPay);
      if (byPix) return byCard ? 'Pague com Pix ou cartão de crédito.' : 'Pague com Pix.';
      if (byCard) return 'Pague com cartão de crédito.';
      return 'Houve tentativas demais. Peça um novo link ao vendedor.';
    }
    case 'paying':
      return toPay.pix === null ? CONFIRMING : noticeOfPix(toPay.pix);
    case 'paid':
      return 'Pago. Obrigado.';
    case 'expired':
      return 'O prazo deste link terminou. Peça um novo ao vendedor.';
    case 'disabled':
      return 'Este link não está mais ativo. Fale com o vendedor.';
  }
}

const CONFIRMING = 'O pagamento está sendo confirmado. Não pague de novo: esta página mostra o resultado.';

function noticeOfPix({ state, isExpiring, code }: NonNullable<LinkToPay['pix']>): string {
  if (code !== null)
    return 'Aguardando o pagamento. Leia o código com o aplicativo do seu banco, ou copie o texto abaixo dele.';
  if (state === 'issuing') return 'O Pix está sendo criado no banco. Aguarde: esta página mostra o código.';
  if (state === 'removing' && !isExpiring) return 'O Pix está sendo retirado. Não o pague.';
  return 'O prazo do Pix terminou. Se já pagou, não pague de novo: esta página mostra o resultado.';
}

/** No field has a name, so that no browser can send one. Hidden until the script runs. */
function cardForm({ link, options }: LinkToPay): string {
  const choices = options.map(
    (option) => `<option value="${option.count}">${installmentText(option)}</option>`,
  );
  const brands = Object.entries(BRAND_NAMES).map(
    ([brand, name]) => `<option value="${brand}">${name}</option>`,
  );
  return `
<form id="card" class="scripted" novalidate hidden>
<h2>Cartão</h2>
<label for="number">Número do cartão <span class="brand" id="number-brand"></span></label>
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
<label for="installments">Parcelas</label>
<select id="installments">${choices.join('')}</select>
<button id="pay" type="submit">Pagar ${reaisShown(link.amount)}</button>
</form>`;
}

/** `3x de R$ 33,33 (a primeira de R$ 33,34)`. */
function installmentText({ count, first, others }: InstallmentOption): string {
  if (count === 1) return `À vista, ${reaisShown(first)}`;
  const rest = first === others ? '' : ` (a primeira de ${reaisShown(first)})`;
  return `${count}x de ${reaisShown(others)}${rest}`;
}

/** Public things alone: what encrypts a card, and how brands are recognized. */
function givenTo({ link, shown, now, publicKey }: LinkToPay): string {
  const given = {
    key: publicKey,
    merchantId: link.merchantId,
    now: new Date(now).toISOString(),
    brands: brandList.brands,
    brandNames: BRAND_NAMES,
    notCharged: NOT_ASKED,
    refreshSeconds: shown === 'paying' ? REFRESH_SECONDS : null,
  };
  return JSON.stringify(given).replaceAll('<', '\\u003c');
}

export const NO_LINK_PAGE = htmlPage({
  title: 'Link não encontrado',
  style: STYLE,
  content: '<h1>Link não encontrado</h1>\n<p>Confira o endereço, ou peça-o de novo ao vendedor.</p>',
});
