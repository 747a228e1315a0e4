import amounts from '../simulators/kit/cards/trigger-amounts.json' with { type: 'json' };
import triggerCards from '../simulators/kit/cards/trigger-cards.json' with { type: 'json' };
import { TRIGGERS, type Verdict } from '../src/antifraud/anti-fraud.ts';
import type { Sentence } from '../src/platform/http/sentence.ts';
import type { CatalogueTable } from '../src/platform/reference/catalogue.ts';
import { isTrialCard, NETWORK_LIMITS, TRIAL_CARDS } from '../src/transactions/methods/card/network-limits.ts';
import { isCardNumber } from '../src/values/card-number.ts';
import { BOLETO_VALUES } from './bank-trials.ts';

type TriggerCard = (typeof triggerCards)[number];
type Row = readonly (string | Sentence)[];

const DAY_MILLISECONDS = 24 * 60 * 60 * 1_000;

export const FAULT_TEXTS: Readonly<Record<string, Sentence>> = {
  silent: { pt: 'a adquirente se cala e nada registra', en: 'the acquirer is silent and books nothing' },
  booksButSilent: { pt: 'registra a cobrança e se cala', en: 'it books the charge and is silent' },
  late: { pt: 'registra e responde tarde demais', en: 'it books the charge and answers too late' },
  garbage: { pt: 'registra e responde lixo', en: 'it books the charge and answers garbage' },
};

const CANCEL_TEXTS: Readonly<Record<string, Sentence>> = {
  pending: {
    pt: 'aceito com 202, e confirmado um dia depois (relógio de testes)',
    en: 'accepted with 202, and confirmed a day later (test clock)',
  },
  pendingAndFails: {
    pt: 'aceito com 202, e recusado um dia depois: nada é devolvido',
    en: 'accepted with 202, and refused a day later: nothing is given back',
  },
};

const AMOUNTS: CatalogueTable = {
  title: 'Amounts that make trouble',
  text:
    'The last four digits of the amount in cents choose what the simulated acquirer does. After 1001 to 1004 the answer is 500, and within ' +
    'a minute what was booked is voided.',
  columns: ['The amount ends in', 'What happens'],
  rows: [
    [
      between(amounts.declines.first, amounts.declines.last),
      {
        pt: 'recusado com o significado do código ABECS xx, no código da bandeira: `1051` saldo, `1054` vencido, `1041` perdido',
        en: "declined with the meaning of ABECS code xx, in the brand's own code: `1051` funds, `1054` expired, `1041` lost",
      },
    ],
    ...Object.entries(amounts.faults).map(([digits, fault]) => [`\`${digits}\``, textOf(FAULT_TEXTS, fault)]),
    ...Object.entries(amounts.cancellations).map(([cents, behaviour]) => [
      { pt: `cancelamento de exatos \`${cents}\` centavos`, en: `a cancel of exactly \`${cents}\` cents` },
      textOf(CANCEL_TEXTS, behaviour),
    ]),
    [
      { pt: 'qualquer outro', en: 'anything else' },
      { pt: 'aprovado', en: 'approved' },
    ],
  ],
};

/** `10xx` of the amounts from `first` to `last`. */
function between(first: number, last: number): Sentence {
  const [digits, from, to] = [String(first).slice(0, 2), String(first).slice(2), String(last).slice(2)];
  return { pt: `\`${digits}xx\`, xx de ${from} a ${to}`, en: `\`${digits}xx\`, xx from ${from} to ${to}` };
}

const CARDS: CatalogueTable = {
  title: 'Cards with a behaviour of their own',
  text: 'Counted for each merchant over all charges of the card. Any other number that is a valid card is approved, unless its amount decides.',
  columns: ['Number', 'What happens'],
  rows: triggerCards
    .filter(({ number }) => !isTrialCard(number))
    .map((card) => [`\`${card.number}\``, behaviourOf(card)]),
};

export function behaviourOf({ declines, times, responseCode, adviceCode }: TriggerCard): Sentence {
  const code = `\`${responseCode}\``;
  const pt = adviceCode === null ? code : `${code} e orientação \`${adviceCode}\``;
  const en = adviceCode === null ? code : `${code} and advice \`${adviceCode}\``;
  const [vezes, often] = times === 1 ? ['uma vez', 'once'] : [`${times} vezes`, `${times} times`];
  if (declines === 'always') return { pt: `recusa sempre com ${pt}`, en: `always declines with ${en}` };
  if (declines === 'first')
    return {
      pt: `recusa ${vezes} com ${pt}, depois aprova`,
      en: `declines ${often} with ${en}, then approves`,
    };
  return {
    pt: `aprova ${vezes}, depois recusa com ${pt}`,
    en: `approves ${often}, then declines with ${en}`,
  };
}

const TRIAL_CARD_ROWS: CatalogueTable = {
  title: 'Trial cards for the limits of the networks',
  text:
    'In homologation the limits hold for these cards only: a hundred numbers begin with each of the digits, and when one is used up the next ' +
    'is free.',
  columns: ['Number', 'After', 'The next try gets 402, tag `retryLimit`'],
  rows: [...(['visa', 'mastercard', 'elo'] as const).map(limitRow), lostCardRow()],
};

/** The nearest limit of the brand's network. */
function limitRow(brand: keyof typeof TRIAL_CARDS): Row {
  const { limits, countsAllAmounts } = NETWORK_LIMITS[brand];
  const { declines = 0, windowMilliseconds = 0 } = limits[0] ?? {};
  const days = windowMilliseconds / DAY_MILLISECONDS;
  const until =
    days === 1
      ? { pt: 'até um dia passar', en: 'until a day passed' }
      : { pt: `até ${days} dias passarem`, en: `until ${days} days passed` };
  return [
    `${firstNumbers(TRIAL_CARDS[brand])} …`,
    countsAllAmounts
      ? { pt: `${declines} recusas de quaisquer valores`, en: `${declines} declines of any amounts` }
      : {
          pt: `${declines} recusas de um valor, como \`1051\``,
          en: `${declines} declines of one amount, such as \`1051\``,
        },
    countsAllAmounts
      ? { pt: `para todo valor, ${until.pt}`, en: `for every amount, ${until.en}` }
      : { pt: `para este valor, ${until.pt}`, en: `for this amount, ${until.en}` },
  ];
}

/** The first two of the hundred numbers with these first digits. */
export function trialNumbers(digits: string): string[] {
  const tenOf = (serial: string) => Array.from({ length: 10 }, (_, check) => `${digits}${serial}${check}`);
  return ['00', '01'].map((serial) => tenOf(serial).find(isCardNumber) ?? '');
}

function firstNumbers(digits: string): string {
  return trialNumbers(digits)
    .map((number) => `\`${number}\``)
    .join(', ');
}

/** Trial cards that are declined for good once they have paid. */
function lostCardRow(): Row {
  const lost = triggerCards.filter(({ number }) => isTrialCard(number));
  const codes = [
    ...new Set(lost.map(({ responseCode, adviceCode }) => `\`${responseCode}\`, \`${adviceCode}\``)),
  ];
  return [
    lost.map(({ number }) => `\`${number}\``).join(', '),
    {
      pt: `uma aprovação, e depois qualquer valor (${codes})`,
      en: `one approval, and then any amount (${codes})`,
    },
    { pt: 'para todo valor', en: 'for every amount' },
  ];
}

const VERDICT_TEXTS: Readonly<Record<Verdict, Sentence>> = {
  accept: { pt: 'aceito, sem consultar regra alguma', en: 'accepted, no rule is asked' },
  review: { pt: 'cobrado, e marcado com `review`', en: 'charged, and marked with `review`' },
  reject: { pt: 'rejeitado: 402, tag `antifraud`', en: 'rejected: 402, tag `antifraud`' },
};

const E_MAILS: CatalogueTable = {
  title: 'E-mails that anti-fraud knows',
  text: '`customer.email` of a payment.',
  columns: ['E-mail', 'What happens'],
  rows: Object.entries(TRIGGERS).map(([email, verdict]) => [`\`${email}\``, VERDICT_TEXTS[verdict]]),
};

/** Throws for a key without a text: it would leave a gap in the page. */
export function textOf(texts: Readonly<Record<string, Sentence>>, key: string): Sentence {
  const text = texts[key];
  if (text === undefined) throw new Error(`homologation/trials.ts has no words for "${key}"`);
  return text;
}

/** How to cause rare events in homologation, from the data of simulator and rules. */
export const TRIALS: readonly CatalogueTable[] = [AMOUNTS, CARDS, TRIAL_CARD_ROWS, E_MAILS, BOLETO_VALUES];
