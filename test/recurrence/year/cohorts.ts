import { type Chance, chanceFrom } from '../../../chaos/chance.ts';

/** How a subscriber who pays by card comes through his year. */
export const CARD_KINDS = [
  'good',
  'special',
  'lacksAlways',
  'lost',
  'expired',
  'issuerAway',
  'leaves',
] as const;
export type CardKind = (typeof CARD_KINDS)[number];

/** And one who pays by Pix Automático. */
export const PIX_KINDS = [
  ...(['paysByCode', 'agrees', 'ignores', 'refuses', 'lacksThenHas', 'lacksAlways'] as const),
  ...(['rejects', 'doesNotAnswer', 'ends', 'leaves'] as const),
];
export type PixKind = (typeof PIX_KINDS)[number];

export type CardPlanType = 'Monthly' | 'Bimonthly' | 'Quarterly' | 'Semesterly' | 'Yearly' | 'Custom';
export type PixPlanType = 'Weekly' | 'Monthly' | 'Quarterly' | 'Semesterly' | 'Yearly';

type Common = {
  readonly number: number;
  /** Cents: his alone, so that nothing is taken for another's. */
  readonly amount: number;
  readonly attempts: number;
  readonly trialDays: number;
  /** The month in which he ends it, or his merchant does. */
  readonly endsIn: number;
};

export type CardSubscriber = Common & {
  readonly method: 'card';
  readonly kind: CardKind;
  readonly planType: CardPlanType;
  /** Of Custom plans. */
  readonly intervalDays: number;
  readonly installments: number;
  /** Null: one of the shared good ones. */
  readonly cardNumber: string | null;
};

/** What his account makes of a try. */
export type PayerStep = {
  readonly plan: 'pays' | 'lacksFunds' | 'ignores' | 'rejects';
  readonly code?: string;
};

export type PixSubscriber = Common & {
  readonly method: 'pix';
  readonly kind: PixKind;
  readonly planType: PixPlanType;
  readonly journey: 2 | 3;
  /** Of his tries, in their order; behind them he pays. */
  readonly steps: readonly PayerStep[];
};

export type Subscriber = CardSubscriber | PixSubscriber;

/** The simulated acquirer counts by card, so each has one subscriber (docs/acquirer-protocol.md). */
const SPECIAL_CARDS = [
  ...['4000050000000114', '4000050000000122', '4000050000000130', '4000050000000148', '4000050000000155'],
  ...['5200050000000168', '5200050000000176', '5200050000000184', '5200050000000192', '5200050000000200'],
  ...['370005000000217', '6363680000000221', '4000050000000239', '5200050000000242', '370005000000258'],
  ...['5200050000000267', '5200050000000275', '5200050000000283', '5200050000000291', '5200050000000309'],
];

/** By the last digits of the amount, as the simulated acquirer has them. */
const TROUBLE_OF_CARD: Readonly<Partial<Record<CardKind, number>>> = {
  lacksAlways: 1_051,
  lost: 1_041,
  expired: 1_054,
  issuerAway: 1_091,
};

const CARD_PLANS: readonly CardPlanType[] = [
  'Monthly',
  'Bimonthly',
  'Quarterly',
  'Semesterly',
  'Yearly',
  'Custom',
];
const PIX_PLANS: readonly PixPlanType[] = [
  'Monthly',
  'Weekly',
  'Quarterly',
  'Monthly',
  'Semesterly',
  'Yearly',
];
/** Clear of the amounts that do something by themselves. */
const PLAIN_DIGITS = 3_000;

/** Half by card, half by Pix: every kind among them, whatever the seed. */
export function drawSubscribers(count: number, seed: number): Subscriber[] {
  const chance = chanceFrom(seed);
  const special = [...SPECIAL_CARDS];
  return Array.from({ length: count }, (_, number) =>
    number % 2 === 0 ? cardSubscriber(number, chance, special) : pixSubscriber(number, chance),
  );
}

function common(number: number, chance: Chance, digits = PLAIN_DIGITS + number): Omit<Common, 'attempts'> {
  const trialDays = chance.isIn(0.2) ? chance.whole(1, 20) : 0;
  return { number, amount: (number + 1) * 10_000 + digits, trialDays, endsIn: chance.whole(2, 10) };
}

function cardSubscriber(number: number, chance: Chance, special: string[]): CardSubscriber {
  const at = number / 2;
  const kind = kindOfCard(at, special.length > 0);
  return {
    ...common(number, chance, TROUBLE_OF_CARD[kind]),
    method: 'card',
    kind,
    attempts: at % 5,
    planType: CARD_PLANS[(at + Math.floor(at / 6)) % CARD_PLANS.length] ?? 'Monthly',
    intervalDays: chance.whole(20, 60),
    installments: chance.whole(2, 12),
    cardNumber: kind === 'special' ? (special.shift() ?? null) : null,
  };
}

function kindOfCard(at: number, isSpecialLeft: boolean): CardKind {
  const place = at % 20;
  if (place < 4 && isSpecialLeft) return 'special';
  return (
    ({ 10: 'lacksAlways', 12: 'lost', 14: 'expired', 16: 'issuerAway', 18: 'leaves' } as const)[place] ??
    'good'
  );
}

/** Of each twenty. */
const PIX_SHARES: readonly PixKind[] = [
  ...(['paysByCode', 'agrees', 'paysByCode', 'lacksThenHas', 'paysByCode', 'ignores', 'agrees'] as const),
  ...(['paysByCode', 'refuses', 'lacksThenHas', 'paysByCode', 'ends', 'agrees', 'lacksAlways'] as const),
  ...(['paysByCode', 'rejects', 'lacksThenHas', 'doesNotAnswer', 'paysByCode', 'leaves'] as const),
];

function pixSubscriber(number: number, chance: Chance): PixSubscriber {
  const at = (number - 1) / 2;
  const kind = PIX_SHARES[at % PIX_SHARES.length] ?? 'agrees';
  const draft = common(number, chance);
  const attempts = kind === 'lacksThenHas' ? 1 + (at % 3) : at % 4;
  return {
    ...draft,
    method: 'pix',
    kind,
    attempts,
    planType: PIX_PLANS[(at + Math.floor(at / 20)) % PIX_PLANS.length] ?? 'Monthly',
    journey: kind === 'paysByCode' && draft.trialDays === 0 ? 3 : 2,
    steps: stepsOf(kind, attempts, chance),
  };
}

function stepsOf(kind: PixKind, attempts: number, chance: Chance): PayerStep[] {
  const all = (length: number, step: PayerStep) => Array.from({ length }, () => step);
  switch (kind) {
    case 'lacksThenHas':
      return Array.from({ length: 10 }, () => [
        ...all(chance.whole(0, attempts), { plan: 'lacksFunds' }),
        { plan: 'pays' as const },
      ]).flat();
    case 'lacksAlways':
      return all(10, { plan: 'lacksFunds' });
    case 'rejects':
      return [{ plan: 'pays' }, { plan: 'rejects', code: 'AC05' }];
    case 'doesNotAnswer':
      return all(10, { plan: 'ignores' });
    default:
      return [];
  }
}
