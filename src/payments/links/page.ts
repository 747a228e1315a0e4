import type { Boleto } from '../../transactions/methods/boleto/boleto.ts';
import type { Pix } from '../../transactions/methods/pix/pix.ts';
import {
  cardForm,
  cardPage,
  missingPage,
  type PageScript,
  scripted,
} from '../../transactions/payers/card-page.ts';
import { copyable, dayText, reaisShown } from '../../transactions/payers/page-of-payer.ts';
import { type BarCode, digitableLine, formatDigitableLine } from '../../values/bar-code.ts';
import { type Day, type Instant, instant, saoPauloDay, saoPauloText } from '../../values/instant.ts';
import { escapedMarkup } from '../../values/markup.ts';
import { qrCodeSvg } from '../../values/qr-code.ts';
import { BOLETO_FORM } from './boleto-form.ts';
import type { Paper } from './identify-paper.ts';
import { type InstallmentOption, type Link, mayTry, type ShownState, type TryMethod } from './link.ts';
import { NOT_ASKED, NOT_REMOVED } from './words.ts';

export type LinkToPay = {
  readonly link: Link;
  readonly beneficiary: { readonly name: string };
  readonly shown: ShownState;
  readonly options: readonly InstallmentOption[];
  readonly offered: { readonly pix: boolean; readonly boleto: boolean };
  readonly bill: BillToPay | null;
  /** The service's real time. */
  readonly now: Instant;
  readonly publicKey: string;
  /** The address to which the page leads back; null: none. */
  readonly returnAddress: string | null;
};

/** A Pix or boleto of the link. `code`, `barCode` null: it cannot be paid any more, or not yet. */
export type BillToPay =
  | (Pick<Pix, 'state' | 'isExpiring' | 'expiresAt'> & {
      readonly method: 'pix';
      readonly code: string | null;
    })
  | (Pick<Boleto, 'state' | 'isExpiring' | 'dueOn'> & {
      readonly method: 'boleto';
      readonly barCode: BarCode | null;
      /** In the words of its own page; null: it waits to be paid. */
      readonly notice: string | null;
      readonly paper: Paper;
    });

const REFRESH_SECONDS = 5;
/** Banks report the payment of a boleto in hours or days. */
const SLOWEST_REFRESH_SECONDS = 600;
/** The page asks again after this part of the try's age. */
const REFRESH_SHARE = 0.05;

/** The page as HTML. Texts of the merchant are escaped. */
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
    refreshSeconds: refreshSecondsOf(toPay),
  };
  return cardPage(page, script);
}

function refreshSecondsOf({ link, shown, bill }: LinkToPay): number | null {
  if (shown !== 'paying') return null;
  const slower = bill?.method === 'boleto' ? Math.round((link.triedMilliseconds / 1_000) * REFRESH_SHARE) : 0;
  return Math.min(Math.max(REFRESH_SECONDS, slower), SLOWEST_REFRESH_SECONDS);
}

function waysToPay(toPay: LinkToPay): string {
  const { bill } = toPay;
  if (bill?.method === 'pix' && bill.code !== null) return pixToPay(bill.code, bill.expiresAt);
  if (bill?.method === 'boleto')
    return bill.barCode === null ? placeOfPaper(bill.paper, '') : boletoToPay(bill.barCode, bill);
  const { byPix, byCard, byBoleto } = waysOf(toPay);
  return scripted(
    `${byPix ? PIX_BUTTON : ''}${byCard ? cardFormOf(toPay) : ''}${byBoleto ? BOLETO_FORM : ''}`,
  );
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
${otherwise()}
</div>`;
}

const otherwise = (sure = '') =>
  `<button type="button" class="quiet" data-send="cancel"${sure} data-not-done="${NOT_REMOVED}">Pagar de outra forma</button>`;

/** A payment on its way is reported after the cancel. */
const SURE =
  ' data-sure="Já pagou este boleto? Então não o retire: o banco confirma em até um dia útil. Retirar o boleto, que ninguém pagou?"';

/** The paper names its payer, so only the browser that had it made shows it. */
function placeOfPaper({ try: ofTry, digest, pages }: Paper, content: string): string {
  return `
<div id="paper" data-try="${ofTry}" data-paper="${digest}" data-pages="${pages}" hidden>${content}</div>`;
}

const PAPER = `
<a class="button" data-part="/pdf">Abrir o boleto em PDF</a>
<p><a data-part="">Ver e imprimir o boleto</a></p>
`;

function boletoToPay(
  barCode: BarCode,
  { dueOn, paper }: { readonly dueOn: Day; readonly paper: Paper },
): string {
  return `
<p>Linha digitável, vencimento em ${dayText(dueOn)}:</p>
<p>${copyable(formatDigitableLine(digitableLine(barCode)))}</p>
<div class="scripted" hidden>
<button id="copy" type="button">Copiar linha digitável</button>${placeOfPaper(paper, PAPER)}
${otherwise(SURE)}
</div>`;
}

function waysOf({ link, shown, offered }: LinkToPay) {
  const may = (method: TryMethod) => shown === 'open' && mayTry(link, method);
  return {
    byPix: offered.pix && may('pix'),
    byCard: may('card'),
    byBoleto: offered.boleto && may('boleto'),
  };
}

/** The first thing that a buyer must read. */
function noticeOf(toPay: LinkToPay): string {
  switch (toPay.shown) {
    case 'open': {
      const { byPix, byCard, byBoleto } = waysOf(toPay);
      const ways = [...(byPix ? ['Pix'] : []), ...(byCard ? ['cartão de crédito'] : [])];
      const all = [...ways, ...(byBoleto ? ['boleto'] : [])];
      if (all.length > 0) return `Pague com ${LIST.format(all)}.`;
      return 'Houve tentativas demais. Peça um novo link ao vendedor.';
    }
    case 'paying':
      return toPay.bill === null ? CONFIRMING : noticeOfBill(toPay.bill);
    case 'paid':
      return 'Pago. Obrigado.';
    case 'expired':
      return 'O prazo deste link terminou. Peça um novo ao vendedor.';
    case 'disabled':
      return 'Este link não está mais ativo. Fale com o vendedor.';
  }
}

const CONFIRMING = 'O pagamento está sendo confirmado. Não pague de novo: esta página mostra o resultado.';

const LIST = new Intl.ListFormat('pt-BR', { type: 'disjunction' });

function noticeOfBill(bill: BillToPay): string {
  if (bill.method === 'boleto') return noticeOfBoleto(bill);
  const { state, isExpiring, code } = bill;
  if (code !== null)
    return 'Aguardando o pagamento. Leia o código com o aplicativo do seu banco, ou copie o texto abaixo dele.';
  if (state === 'issuing') return 'O Pix está sendo criado no banco. Aguarde: esta página mostra o código.';
  if (state === 'removing' && !isExpiring) return 'O Pix está sendo retirado. Não o pague.';
  return 'O prazo do Pix terminou. Se já pagou, não pague de novo: esta página mostra o resultado.';
}

function noticeOfBoleto({
  state,
  isExpiring,
  notice,
  barCode,
}: Extract<BillToPay, { method: 'boleto' }>): string {
  if (state === 'issuing')
    return 'O boleto está sendo registrado no banco. Aguarde: esta página mostra a linha digitável.';
  if (barCode !== null)
    return 'Aguardando o pagamento do boleto. O banco o confirma em até um dia útil depois: não pague de novo.';
  if (state === 'canceling' && !isExpiring)
    return 'O boleto está sendo retirado do banco. Não o pague: esta página mostra o resultado.';
  if (notice === null) return CONFIRMING;
  return `O prazo do boleto terminou: aguardando o banco. Se já pagou, não pague de novo: esta página mostra o resultado.`;
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
