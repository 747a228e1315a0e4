import type { FieldReader } from '../kit/field-reader.ts';

const MOST_ITEMS = 1_000;
const MOST_FIELDS = 20;
const MOST_LEAD_DAYS = 10_000;

/** Where banks differ, and the specification lets them or they do as they like. */
export type Dialect = {
  /** Whether `/pix`, `/rec` and `/cobr` are put behind the address of a webhook. */
  readonly webhookPath: boolean;
  /** Of a page, whatever is asked for. */
  readonly mostItems: number;
  /** Fields that answers do not have. */
  readonly without: readonly string[];
  /** Whether answers have fields that no specification has. */
  readonly isNewer: boolean;
  /** How many days ahead of its due day a recurring charge must come, at least and at most. */
  readonly leastLeadDays: number;
  readonly mostLeadDays: number;
  /** Whether the end of an authorization ends what was sent under it. */
  readonly endsCharges: boolean;
};

export const STANDARD: Dialect = {
  ...{ webhookPath: true, mostItems: MOST_ITEMS, without: [], isNewer: false },
  ...{ leastLeadDays: 0, mostLeadDays: MOST_LEAD_DAYS, endsCharges: true },
};

export function readDialect(fields: FieldReader): Dialect {
  return {
    webhookPath: fields.booleanOr('webhookPath', true),
    mostItems: fields.integerOrNull('mostItems', 1, MOST_ITEMS) ?? MOST_ITEMS,
    without: fields.textsOrEmpty('without', MOST_FIELDS, /^\w{1,40}$/),
    isNewer: fields.booleanOr('isNewer', false),
    leastLeadDays: fields.integerOrNull('leastLeadDays', 0, MOST_LEAD_DAYS) ?? 0,
    mostLeadDays: fields.integerOrNull('mostLeadDays', 0, MOST_LEAD_DAYS) ?? MOST_LEAD_DAYS,
    endsCharges: fields.booleanOr('endsCharges', true),
  };
}

/** An answer as this bank gives it, and each item of a list. */
export function spoken(body: object, { without, isNewer }: Pick<Dialect, 'without' | 'isNewer'>): object {
  if (without.length === 0 && !isNewer) return body;
  const fields = Object.entries(body)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((item) => (isObject(item) ? spoken(item, { without, isNewer }) : item))
        : value,
    ]);
  return { ...Object.fromEntries(fields), ...(isNewer ? { campoNovo: { versao: '9.9.9' } } : {}) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
