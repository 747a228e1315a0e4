import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import { CARD_BRANDS, type CardBrand } from '../../../../values/card-number.ts';
import { MOST_INSTALLMENTS } from '../../../../values/cents.ts';
import type { AcquirerCapabilities } from '../../acquirer.ts';

const PROTOCOL = 1;
export const PROTOCOL_HEADER: Readonly<Record<string, string>> = { 'parcela-protocol': String(PROTOCOL) };

export type About = {
  /** Whether the bridge says that it moves real money. */
  readonly isReal: boolean;
  readonly capabilities: AcquirerCapabilities;
};

/** Assumed until the acquirer has reported its own. */
export const UNREAD_CAPABILITIES: AcquirerCapabilities = {
  largestInstallments: MOST_INSTALLMENTS,
  brands: CARD_BRANDS,
  captureLater: false,
  partialCancel: true,
  zeroVerification: true,
  threeDSecure: false,
  longestReference: 64,
  lookUpDays: null,
  customer: false,
  listCharges: false,
};

/** Assumed until the bridge has answered. */
export const UNREAD_ABOUT: About = { isReal: false, capabilities: UNREAD_CAPABILITIES };

/** Our references are UUIDs. */
const REFERENCE_LENGTH = 36;
const LONGEST_LOOK_UP_DAYS = 36_500;

/** Returns what `/about` reports, or what is wrong with it, as the end of a sentence about the bridge. */
export function readAbout(body: unknown): About | string {
  const fields = fieldsOf(body);
  if (fields.protocol !== PROTOCOL)
    return `speaks protocol ${JSON.stringify(fields.protocol)}, not ${PROTOCOL}`;
  const capabilities = readCapabilities(fields.capabilities);
  if (typeof capabilities === 'string') return `has no capability ${capabilities} that can be`;
  if (capabilities.longestReference < REFERENCE_LENGTH)
    return `takes references of ${capabilities.longestReference} characters, and ours have ${REFERENCE_LENGTH}`;
  return { isReal: fields.simulator === false, capabilities };
}

/** Returns the capabilities, or the name of the faulty one. An absent one keeps its default. */
function readCapabilities(given: unknown): AcquirerCapabilities | string {
  const fields = fieldsOf(given);
  const numbers = {
    largestInstallments: MOST_INSTALLMENTS,
    longestReference: UNREAD_CAPABILITIES.longestReference,
    lookUpDays: LONGEST_LOOK_UP_DAYS,
  };
  for (const [name, most] of Object.entries(numbers))
    if (!isAbsent(fields[name]) && !isWholeNumber(fields[name], most)) return name;
  for (const name of [
    'captureLater',
    'partialCancel',
    'zeroVerification',
    'threeDSecure',
    'customer',
    'listCharges',
  ])
    if (!isAbsent(fields[name]) && typeof fields[name] !== 'boolean') return name;
  const brands = isAbsent(fields.brands) ? CARD_BRANDS : readBrands(fields.brands);
  if (brands.length === 0) return 'brands';
  const present = Object.entries(fields).filter(([, value]) => !isAbsent(value));
  const known = present.filter(([name]) => Object.hasOwn(UNREAD_CAPABILITIES, name));
  return { ...UNREAD_CAPABILITIES, ...Object.fromEntries(known), brands };
}

/** Brands that we do not know are ignored. */
function readBrands(given: unknown): readonly CardBrand[] {
  return Array.isArray(given) ? CARD_BRANDS.filter((brand) => given.includes(brand)) : [];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isWholeNumber(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}
