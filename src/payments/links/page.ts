import type { Pix } from '../../transactions/methods/pix/pix.ts';
import {
  cardForm,
  cardPage,
  missingPage,
  type PageScript,
  scripted,
} from '../../transactions/payers/card-page.ts';
import { copyable, dayText, reaisShown } from '../../transactions/payers/page-of-payer.ts';
import { type Instant, instant, saoPauloDay, saoPauloText } from '../../values/instant.ts';
import { escapedMarkup } from '../../values/markup.ts';
import { qrCodeSvg } from '../../values/qr-code.ts';
import { type InstallmentOption, type Link, mayTry, type ShownState } from './link.ts';
import { NOT_ASKED, NOT_REMOVED } from './words.ts';

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
  const page = {
    title: shown === 'paid' ? 'Pagamento: pago' : 'Pagamento',
    heading: 'Pagamento',
    notice: noticeOf(toPay),
    facts,
    below: `${waysToPay(toPay)}${back}`,
    merchantId: link.merchantId,
    publicKey: toPay.publicKey,
    now: toPay.now,
    refreshSeconds: shown === 'paying' ? REFRESH_SECONDS : null,
  };
  return cardPage(page, script);
}

function waysToPay(toPay: LinkToPay): string {
  const { pix } = toPay;
  if (pix?.code != null) return pixToPay(pix.code, pix.expiresAt);
  const { byPix, byCard } = waysOf(toPay);
  if (!byPix && !byCard) return '';
  return scripted(`${byPix ? PIX_BUTTON : ''}${byCard ? cardFormOf(toPay) : ''}`);
}

function cardFormOf({ link, options }: LinkToPay): string {
  const choices = options.map(
    (option) => `<option value="${option.count}">${installmentText(option)}</option>`,
  );
  return cardForm({
    heading: 'Cartão',
    choice: `<label for="installments">Parcelas</label>
<select id="installments">${choices.join('')}</select>`,
    button: `Pagar ${reaisShown(link.amount)}`,
    notDone: NOT_ASKED,
  });
}

/** Hidden until the script runs. */
const PIX_BUTTON = `
<div class="scripted" hidden>
<h2>Pix</h2>
<button type="button" data-send="pix" data-not-done="${NOT_ASKED}">Pagar com Pix</button>
</div>`;

function pixToPay(code: string, until: Instant): string {
  return `
${qrCodeSvg(code)}
<p>Pix copia e cola, válido até ${saoPauloText(until).slice(11, 16)} (horário de Brasília):</p>
<p>${copyable(code)}</p>
<div class="scripted" hidden>
<button id="copy" type="button">Copiar código Pix</button>
<button type="button" class="quiet" data-send="pix/cancel" data-not-done="${NOT_REMOVED}">Pagar de outra forma</button>
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

/** `3x de R$ 33,33 (a primeira de R$ 33,34)`. */
function installmentText({ count, first, others }: InstallmentOption): string {
  if (count === 1) return `À vista, ${reaisShown(first)}`;
  const rest = first === others ? '' : ` (a primeira de ${reaisShown(first)})`;
  return `${count}x de ${reaisShown(others)}${rest}`;
}

export const NO_LINK_PAGE = missingPage(
  'Link não encontrado',
  'Confira o endereço, ou peça-o de novo ao vendedor.',
);
