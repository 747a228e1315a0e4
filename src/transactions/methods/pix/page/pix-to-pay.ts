import { type Day, type Instant, saoPauloText } from '../../../../values/instant.ts';
import { dayText, reaisShown } from '../../../payers/page-of-payer.ts';
import type { Pix } from '../pix.ts';

export type PixToPay = Pick<
  Pix,
  | 'merchantId'
  | 'state'
  | 'amount'
  | 'due'
  | 'expiresAt'
  | 'description'
  | 'pixEmv'
  | 'payment'
  | 'requestedAt'
> & {
  readonly beneficiary: { readonly name: string; readonly documentNumber: string };
  /** Business time. */
  readonly now: Instant;
};

/** A code that is only shown as a picture. */
export type CodeToShow = Pick<PixToPay, 'merchantId' | 'expiresAt'> & { readonly pixEmv: string };

/** Null unless it can be paid, so that nobody pays by mistake. */
export function payableCode({
  state,
  pixEmv,
  expiresAt,
  now,
}: Pick<PixToPay, 'state' | 'pixEmv' | 'expiresAt' | 'now'>): string | null {
  return state === 'waiting' && now < expiresAt ? pixEmv : null;
}

/** The first thing that a payer must read. */
export function noticeOf(pix: PixToPay): string {
  if (isCodeless(pix)) return 'O banco está confirmando este Pix. Aguarde um instante.';
  switch (pix.state) {
    case 'issuing':
      return 'Este Pix ainda está sendo criado no banco. Aguarde um instante.';
    case 'waiting':
      return payableCode(pix) === null
        ? TIME_IS_OVER
        : 'Aguardando o pagamento. Leia o código com o aplicativo do seu banco, ou copie o texto abaixo dele.';
    case 'removing':
      return pix.now < pix.expiresAt ? 'Este Pix está sendo cancelado. Não o pague.' : TIME_IS_OVER;
    case 'paid':
      return `Paga em ${momentText(pix.payment?.paidAt ?? pix.now)}. Obrigado.`;
    case 'returned':
      return 'Este Pix foi pago e devolvido.';
    case 'canceled':
      return 'Este Pix foi cancelado. Não o pague.';
    case 'expired':
      return TIME_IS_OVER;
    case 'refused':
      return 'Este Pix não foi aceito pelo banco e não pode ser pago.';
  }
}

/**
 * Whether the bank has shown the Pix as paid, without a code. The report of the payment comes in a moment,
 * also after the Pix's time.
 */
function isCodeless({ state, pixEmv }: PixToPay): boolean {
  return (state === 'waiting' || state === 'removing') && pixEmv === null;
}

const TIME_IS_OVER = 'O prazo de pagamento deste Pix terminou. Peça um novo a quem o enviou.';

/** `23/11/2026 às 14:05`. */
function momentText(moment: Instant): string {
  const text = saoPauloText(moment);
  return `${dayText(text.slice(0, 10) as Day)} às ${text.slice(11, 16)}`;
}

const QUICK_MILLISECONDS = 15 * 60_000;
const [QUICK_SECONDS, CALM_SECONDS] = [5, 30];

/** How soon the page asks again: quickly at first; null: nothing will change. */
export function refreshSeconds(pix: PixToPay): number | null {
  const { state, requestedAt, now } = pix;
  const isOpen = state === 'issuing' || state === 'removing' || isCodeless(pix) || payableCode(pix) !== null;
  if (!isOpen) return null;
  return now - requestedAt < QUICK_MILLISECONDS ? QUICK_SECONDS : CALM_SECONDS;
}

/** Name and value of what the page shows. */
export function factsOf({ amount, due, description, beneficiary, expiresAt }: PixToPay): [string, string][] {
  return [
    ['Recebedor', beneficiary.name],
    ['Valor', reaisShown(amount)],
    ...(due === null ? [] : [['Vencimento', dayText(due.dueOn)] as [string, string]]),
    ['Pague até', due === null ? momentText(expiresAt) : dayText(due.payableUntil)],
    ...(description === null ? [] : [['Descrição', description] as [string, string]]),
  ];
}
