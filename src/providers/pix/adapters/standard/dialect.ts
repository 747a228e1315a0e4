import { type AdapterSetting, type ProviderSettings, settingsFault } from '../../../provider.ts';
import type { RecurringTerms } from '../../recurring-pix.ts';

/** What differs between banks of one standard, and what only its client knows. */
export type PixDialect = {
  /** The Pix key of the receiver. */
  readonly key: string;
  /** Where access tokens are given. */
  readonly tokenUrl: string;
  /** Separated by blanks. */
  readonly scope: string;
  /** Receipts of one page. */
  readonly pageSize: number;
  /** How far a question for receipts goes back behind the last one. */
  readonly overlapMilliseconds: number;
  /** Of Pix Automático. Null: it is not switched on. */
  readonly recurring: RecurringDialect | null;
};

/** The receiver's account, as the bank knows it, and how early charges are sent. */
export type RecurringDialect = RecurringTerms & {
  readonly branch: string | null;
  readonly account: string;
  readonly accountType: (typeof ACCOUNT_TYPES)[number];
};

const ACCOUNT_TYPES = ['CORRENTE', 'POUPANCA', 'PAGAMENTO'] as const;
const USUAL_LEAD_DAYS = 3;
const MOST_LEAD_DAYS = 10;

const RECURRING_SCOPE = 'rec.write rec.read payloadlocationrec.write solicrec.write cobr.write cobr.read';
const USUAL_SCOPE = 'cob.write cob.read cobv.write cobv.read pix.write pix.read';
const USUAL_PAGE_SIZE = 100;
const MOST_PAGE_SIZE = 1_000;
const USUAL_OVERLAP_SECONDS = 900;
const MOST_OVERLAP_SECONDS = 86_400;

/** CPF, CNPJ (its first twelve may be letters), phone, e-mail address, random key. */
const PIX_KEY =
  /^(\d{11}|[\dA-Z]{12}\d{2}|\+\d{7,15}|(?=.{3,77}$)[^\s@,;=]+@[^\s@,;=]+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

const isUpTo = (most: number) => (text: string) =>
  /^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most;

export const PIX_SETTINGS: Readonly<Record<string, AdapterSetting>> = {
  key: {
    description:
      'the Pix key of the receiver, as the central bank writes it: digits of a CNPJ or CPF alone, +55 and the number of a phone, ' +
      'an e-mail address, or a random key; it must be given',
    accepts: (value) => PIX_KEY.test(value),
  },
  tokenUrl: {
    description: 'the address that gives tokens; default: /oauth/token of the host of --url',
    accepts: (value) => URL.canParse(value),
  },
  scope: {
    description: `scopes separated by blanks; default: ${USUAL_SCOPE}, and those of Pix Automático where that is on`,
    accepts: () => true,
  },
  pageSize: {
    description: `receipts of one page, 1 to ${MOST_PAGE_SIZE}; default: ${USUAL_PAGE_SIZE}`,
    accepts: isUpTo(MOST_PAGE_SIZE),
  },
  overlapSeconds: {
    description: `seconds, 1 to ${MOST_OVERLAP_SECONDS}: how far a question for receipts goes back behind the last one; default: ${USUAL_OVERLAP_SECONDS}`,
    accepts: isUpTo(MOST_OVERLAP_SECONDS),
  },
  account: {
    description: 'the account that receives Pix Automático, which it switches on; default: it is off',
    accepts: (value) => /^[0-9A-Za-z]{1,20}$/.test(value),
  },
  branch: {
    description: 'the branch of that account; default: none',
    accepts: (value) => /^\d{1,4}$/.test(value),
  },
  accountType: {
    description: `${ACCOUNT_TYPES.join(', ')}; default: ${ACCOUNT_TYPES[0]}`,
    accepts: (value) => ACCOUNT_TYPES.some((type) => type === value),
  },
  leadDays: {
    description: `days before its due day on which a charge of Pix Automático is sent, 1 to ${MOST_LEAD_DAYS}; default: ${USUAL_LEAD_DAYS}`,
    accepts: isUpTo(MOST_LEAD_DAYS),
  },
  testClock: {
    description: 'told: a simulated bank is told the test clock of homologation; default: it is not',
    accepts: (value) => value === 'told',
  },
};

/** A text is the fault. */
export function readDialect(url: string, settings: ProviderSettings): PixDialect | string {
  const fault = settingsFault(settings, PIX_SETTINGS);
  if (fault !== null) return fault;
  const { key, tokenUrl = new URL('/oauth/token', url).href } = settings;
  const recurring = recurringOf(settings);
  const { scope = recurring === null ? USUAL_SCOPE : `${USUAL_SCOPE} ${RECURRING_SCOPE}` } = settings;
  if (key === undefined) return 'key must be given: the Pix key of the receiver';
  if (new URL(tokenUrl).protocol !== new URL(url).protocol) return 'tokenUrl must be as safe as the address';
  const pageSize = Number(settings.pageSize ?? USUAL_PAGE_SIZE);
  const overlapMilliseconds = Number(settings.overlapSeconds ?? USUAL_OVERLAP_SECONDS) * 1_000;
  return { key, tokenUrl, scope, pageSize, overlapMilliseconds, recurring };
}

function recurringOf({ account, branch, accountType, leadDays }: ProviderSettings): RecurringDialect | null {
  if (account === undefined) return null;
  const type = ACCOUNT_TYPES.find((one) => one === accountType) ?? ACCOUNT_TYPES[0];
  return {
    account,
    branch: branch ?? null,
    accountType: type,
    leadDays: Number(leadDays ?? USUAL_LEAD_DAYS),
  };
}
