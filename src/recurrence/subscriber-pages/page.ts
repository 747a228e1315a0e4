import {
  cardForm,
  cardPage,
  missingPage,
  type PageScript,
  scripted,
} from '../../transactions/payers/card-page.ts';
import { dayText, reaisShown } from '../../transactions/payers/page-of-payer.ts';
import { BRAND_NAMES } from '../../values/card-number.ts';
import type { Instant } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Terms } from '../plans/plan.ts';
import {
  type CardOfSubscription,
  type FoundPage,
  mayBeCanceled,
  mayGiveCard,
  type ShownBilling,
  SUBSCRIBER,
} from './subscriber-page.ts';
import { NOT_CANCELED, NOT_SAVED } from './words.ts';

export type ShownPage = FoundPage & {
  /** Business time. */
  readonly at: Instant;
  /** Real time. */
  readonly now: Instant;
  readonly publicKey: string;
};

/** Escapes the merchant's texts. Shows no name, document or address of the subscriber. */
export function subscriberPage(shown: ShownPage, script: PageScript): string {
  const { subscription, seller, page, billings } = shown;
  const { plan, terms } = subscription;
  const next = billings.find(({ chargeOn }) => chargeOn !== null);
  const isOn = subscription.state === 'active';
  const facts: (readonly [string, string])[] = [
    ['Vendedor', seller.name],
    ['Plano', plan.name],
    ['Valor', `${reaisShown(centsOfPlanAmount(terms.amount))} ${rhythmOf(terms)}`],
    ['Forma de pagamento', paidWith(shown)],
  ];
  if (isOn && next?.chargeOn != null)
    facts.push(['Próxima cobrança', `${dayText(next.chargeOn)}, ${reaisShown(next.amount)}`]);
  const content = {
    title: 'Sua assinatura',
    heading: 'Sua assinatura',
    notice: `${wasCardChanged(shown) ? 'Cartão atualizado. ' : ''}${noticeOf(shown)}`,
    facts,
    below: `${historyOf(billings)}${scripted(`${cardPart(shown)}${cancelPart(shown)}`)}`,
    merchantId: page.merchantId,
    publicKey: shown.publicKey,
    now: shown.now,
    refreshSeconds: null,
  };
  return cardPage(content, script);
}

const MILLISECONDS_SAID = 600_000;

function wasCardChanged({ history, at }: ShownPage): boolean {
  return history.some(
    ({ type, stamp }) =>
      type === 'cardChanged' && stamp.by === SUBSCRIBER && at - stamp.at < MILLISECONDS_SAID,
  );
}

function noticeOf(shown: ShownPage): string {
  const { subscription, billings } = shown;
  const { state } = subscription;
  switch (state) {
    case 'active':
      return noticeOfActive(billings, mayGiveCard(shown));
    case 'blocked':
      return mayGiveCard(shown) && !wasCardChanged(shown)
        ? 'Assinatura suspensa: o cartão não aceita novas cobranças. Informe outro cartão para continuar.'
        : 'Assinatura suspensa. Fale com o vendedor.';
    case 'pending':
      return 'A assinatura começa quando o Pix Automático for autorizado no seu banco.';
    case 'canceled':
      return 'Assinatura cancelada. Não há novas cobranças.';
    case 'completed':
      return 'Assinatura encerrada: não há mais parcelas.';
    case 'rejected':
    case 'expired':
      return 'O Pix Automático não foi autorizado. Fale com o vendedor.';
  }
}

function noticeOfActive(billings: readonly ShownBilling[], isCardTaken: boolean): string {
  const [newest] = billings;
  if (newest?.isCharging) return 'Assinatura ativa. Uma cobrança está em andamento.';
  const isRetried = newest?.state === 'opened' && newest.chargesMade > 0 && newest.chargeOn !== null;
  if (!isRetried) return 'Assinatura ativa.';
  const other = isCardTaken ? ' Se preferir, informe outro cartão.' : '';
  return `A última cobrança não foi aprovada. Haverá nova tentativa em ${dayText(newest.chargeOn)}.${other}`;
}

function paidWith({ subscription, card }: Pick<ShownPage, 'subscription' | 'card'>): string {
  if (subscription.vaultId === null) return 'Pix Automático';
  return card === null ? 'Cartão removido' : cardText(card);
}

function cardText({ brand, lastFour, expirationMonth, expirationYear }: CardOfSubscription): string {
  return `${BRAND_NAMES[brand]} final ${lastFour}, validade ${expirationMonth}/${expirationYear.slice(-2)}`;
}

/** Pix Automático goes by the calendar, cards by days. */
function rhythmOf({ paymentMethod, planType, intervalDays }: Terms): string {
  const words = {
    weekly: 'por semana',
    monthly: 'por mês',
    bimonthly: 'a cada dois meses',
    quarterly: 'por trimestre',
    semesterly: 'por semestre',
    yearly: 'por ano',
    custom: null,
  } as const;
  return (paymentMethod === 'pixAutomatic' && words[planType]) || `a cada ${intervalDays} dias`;
}

function historyOf(billings: readonly ShownBilling[]): string {
  if (billings.length === 0) return '';
  const rows = billings.map(
    (one) =>
      `<tr><td>${dayText(one.dueOn)}</td><td>${reaisShown(one.amount)}</td><td>${billingWords(one)}</td></tr>`,
  );
  return `
<h2>Cobranças</h2>
<table>
<thead><tr><th scope="col">Vencimento</th><th scope="col">Valor</th><th scope="col">Situação</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

function billingWords({ state, chargesMade, chargeOn, isCharging }: ShownBilling): string {
  switch (state) {
    case 'opened':
      if (isCharging) return 'Em andamento';
      return chargesMade > 0 && chargeOn !== null
        ? `Não aprovada; nova tentativa em ${dayText(chargeOn)}`
        : 'A vencer';
    case 'paid':
      return 'Paga';
    case 'denied':
    case 'paymentInvalid':
      return 'Não paga';
    case 'canceled':
      return 'Cancelada';
  }
}

function cardPart(shown: ShownPage): string {
  if (!mayGiveCard(shown)) return '';
  return cardForm({ heading: 'Usar outro cartão', button: 'Salvar cartão', notDone: NOT_SAVED });
}

function cancelPart({ subscription, page }: ShownPage): string {
  if (!mayBeCanceled(subscription, page)) return '';
  return `
<div class="scripted" hidden>
<h2>Cancelar</h2>
<button type="button" class="quiet" data-send="cancel" data-sure="Cancelar a assinatura? Não haverá novas cobranças." data-not-done="${NOT_CANCELED}">Cancelar a assinatura</button>
</div>`;
}

export const NO_SUBSCRIBER_PAGE = missingPage(
  'Página não encontrada',
  'Confira o endereço, ou peça-o de novo ao vendedor.',
);
