const NOTICE_KINDS = ['pix', 'rec', 'cobr'] as const;
type NoticeKind = (typeof NOTICE_KINDS)[number];

/** What changed at a bank, as the caller says. Nothing of it is believed: the bank is asked. */
export type Notice = {
  readonly endToEndIds: readonly string[];
  readonly recIds: readonly string[];
  readonly txids: readonly string[];
  /** The bank may have given something back by its own will. */
  readonly hasReturns: boolean;
};

/** The most ids of a kind in one notice. What is beyond is found by the next sweep. */
const MOST_IDS = 500;
const END_TO_END_ID = /^[a-zA-Z0-9]{32}$/;
const REC_ID = /^[a-zA-Z0-9]{29}$/;
const TXID = /^[a-zA-Z0-9]{26,35}$/;

/**
 * Reads `/BANK/pix`, or `/BANK` alone, which some banks use. Null: no address of a notice. What follows a
 * question mark has no meaning.
 */
export function readNoticePath(url: string): { readonly bank: string; readonly kind: NoticeKind } | null {
  const [path = ''] = url.split('?');
  const [, bank = '', kind = 'pix', ...more] = path.replace(/\/$/, '').split('/');
  const known = NOTICE_KINDS.find((one) => one === kind);
  if (known === undefined || more.length > 0 || !/^[a-z0-9-]{1,40}$/.test(bank)) return null;
  return { bank, kind: known };
}

/**
 * Null: no JSON object. A body that names nothing is a notice all the same: banks try the address with one.
 */
export function readNotice(text: string): Notice | null {
  let body: unknown;
  try {
    body = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return null;
  }
  if (typeof body !== 'object' || body === null) return null;
  const { pix, recs, cobsr } = body as Readonly<Record<string, unknown>>;
  return {
    endToEndIds: idsOf(pix, 'endToEndId', END_TO_END_ID),
    recIds: idsOf(recs, 'idRec', REC_ID),
    txids: idsOf(cobsr, 'txid', TXID),
    hasReturns: text.includes('"MED_'),
  };
}

function idsOf(items: unknown, field: string, form: RegExp): string[] {
  const named = (Array.isArray(items) ? items : [])
    .slice(0, MOST_IDS)
    .map((item: unknown) => (item as Readonly<Record<string, unknown>> | null)?.[field]);
  return [...new Set(named.filter((id): id is string => typeof id === 'string' && form.test(id)))];
}
