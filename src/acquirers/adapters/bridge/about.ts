import { CARD_BRANDS, type CardBrand } from '../../../values/card-number.ts';
import { MOST_INSTALLMENTS } from '../../../values/cents.ts';
import { type AcquirerCapabilities, CAPABILITIES_OF_VERSION_1 } from '../../capabilities.ts';

export const PROTOCOLS = [1, 2] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/**
 * In every request: the newest version that we speak. A bridge answers `/about` with the version
 * that both speak, and all else in that version; one of version 1 does not know the header.
 */
export const PROTOCOL_HEADER: Readonly<Record<string, string>> = {
  'parcela-protocol': String(PROTOCOLS.at(-1)),
};

/** What a bridge reports of itself. */
export type About = {
  readonly protocol: Protocol;
  /** It reports that it moves real money. */
  readonly isReal: boolean;
  readonly capabilities: AcquirerCapabilities;
};

/** Before it has answered, a bridge is taken for one of version 1. */
export const UNREAD_ABOUT: About = {
  protocol: 1,
  isReal: false,
  capabilities: CAPABILITIES_OF_VERSION_1,
};

/** Our references are UUIDs. */
const REFERENCE_LENGTH = 36;
const LONGEST_LOOK_UP_DAYS = 36_500;

type Fields = Readonly<Record<string, unknown>>;

/** What `/about` says; or what is wrong with it, as the end of a sentence about the bridge. */
export function readAbout(body: unknown): About | string {
  const fields = fieldsOf(body);
  const protocol = PROTOCOLS.find((known) => known === fields.protocol);
  if (protocol === undefined)
    return `speaks protocol ${JSON.stringify(fields.protocol)}, not ${PROTOCOLS.join(' or ')}`;
  const capabilities = protocol === 1 ? CAPABILITIES_OF_VERSION_1 : readCapabilities(fields.capabilities);
  if (typeof capabilities === 'string') return `has no capability ${capabilities} that can be`;
  if (capabilities.longestReference < REFERENCE_LENGTH)
    return `takes references of ${capabilities.longestReference} characters, and ours have ${REFERENCE_LENGTH}`;
  return { protocol, isReal: fields.simulator === false, capabilities };
}

/** The capabilities, or the name of the faulty one. What is absent is as in version 1. */
function readCapabilities(given: unknown): AcquirerCapabilities | string {
  const fields = fieldsOf(given);
  const numbers = {
    largestInstallments: MOST_INSTALLMENTS,
    longestReference: CAPABILITIES_OF_VERSION_1.longestReference,
    lookUpDays: LONGEST_LOOK_UP_DAYS,
  };
  for (const [name, most] of Object.entries(numbers))
    if (!isAbsent(fields[name]) && !isWholeNumber(fields[name], most)) return name;
  for (const name of ['captureLater', 'partialCancel', 'zeroVerification', 'customer', 'listCharges'])
    if (!isAbsent(fields[name]) && typeof fields[name] !== 'boolean') return name;
  const brands = isAbsent(fields.brands) ? CARD_BRANDS : readBrands(fields.brands);
  if (brands.length === 0) return 'brands';
  const present = Object.entries(fields).filter(([, value]) => !isAbsent(value));
  const known = present.filter(([name]) => Object.hasOwn(CAPABILITIES_OF_VERSION_1, name));
  return { ...CAPABILITIES_OF_VERSION_1, ...Object.fromEntries(known), brands };
}

/** Those that we know of too: an acquirer may have others. */
function readBrands(given: unknown): readonly CardBrand[] {
  return Array.isArray(given) ? CARD_BRANDS.filter((brand) => given.includes(brand)) : [];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isWholeNumber(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
