import { FieldReader } from '../kit/field-reader.ts';
import { ABOUT, ledgerItem, malformed, UNKNOWN_PATH } from './answers.ts';
import type { Bank, Respond } from './bank.ts';
import { MERCHANT_ID, OUR_NUMBER, readDay } from './entries.ts';
import { readDueDay, readRegistration, readScript, readWantedChange } from './requests.ts';
import { FILE_FAULTS } from './return-file.ts';

type Act = (bank: Bank, fields: FieldReader, respond: Respond) => () => void;

const BOLETO_PATH = /^\/boletos\/([^/]+)(\/cancel|\/due-day)?$/;
const DIGITS = /^\d{1,15}$/;
const MOST_ITEMS = 1_000;
const NOT_GIVEN = -1;

const READINGS: Readonly<Record<string, Act>> = {
  '/about': (_bank, _query, respond) => () => respond(ABOUT, null),
  '/changes': (bank, query, respond) => {
    const asked = readChangesQuery(query);
    return () => bank.reportChanges(asked, respond);
  },
  '/changes/next': (bank, query, respond) => {
    const asked = readChangesQuery(query);
    return () => bank.reportNextChange(asked, respond);
  },
  '/return-file': (bank, query, respond) => {
    const asked = {
      merchantId: query.text('merchantId', MERCHANT_ID),
      day: readDay(query, 'day'),
      fault: query.wordOrNull('fault', FILE_FAULTS),
    };
    const until = query.instantOrNull('until');
    return () => bank.writeReturnFile(asked, until, respond);
  },
  '/ledger': (bank, query, respond) => {
    const merchantId = query.textOrNull('merchantId', MERCHANT_ID);
    const ourNumber = query.textOrNull('ourNumber', OUR_NUMBER);
    const after = readNumber(query, 'after', NOT_GIVEN, 0, Number.MAX_SAFE_INTEGER);
    const limit = readNumber(query, 'limit', 100, 1, 10_000);
    return () =>
      bank.read((boletos) => {
        const found = boletos.all.filter(
          (boleto) =>
            (merchantId === null || boleto.merchantId === merchantId) &&
            (ourNumber === null || boleto.ourNumber === ourNumber),
        );
        const start = after === NOT_GIVEN ? Math.max(found.length - limit, 0) : after;
        const items = found.slice(start, start + limit).map(ledgerItem);
        return { items, next: start + items.length };
      }, respond);
  },
};

const ORDERS: Readonly<Record<string, Act>> = {
  '/boletos': (bank, fields, respond) => {
    const request = readRegistration(fields);
    return () => bank.register(request, respond);
  },
  '/changes': (bank, fields, respond) => {
    const wanted = readWantedChange(fields);
    return () => bank.change(wanted, respond);
  },
  '/script': (bank, fields, respond) => {
    const script = readScript(fields);
    return () => bank.writeScript(script, respond);
  },
};

/** Leads a request to what the bank does. `body` is what a POST brought. */
export function route(
  bank: Bank,
  { method, url, body }: { readonly method: string; readonly url: string; readonly body: string },
  respond: Respond,
): void {
  const [path = '', search = ''] = url.split('?', 2);
  const isPost = method === 'POST';
  const fields = new FieldReader(isPost ? jsonOf(body) : Object.fromEntries(new URLSearchParams(search)));
  const known = isPost ? ORDERS : method === 'GET' ? READINGS : {};
  const act = Object.hasOwn(known, path) ? known[path]?.(bank, fields, respond) : boletoAct(bank);
  if (!act) respond(UNKNOWN_PATH, null);
  else if (fields.fault === null) act();
  else respond(malformed(fields.fault), null);

  function boletoAct(of: Bank): (() => void) | null {
    const [, ourNumber = '', order] = BOLETO_PATH.exec(path) ?? [];
    if (ourNumber === '' || (order !== undefined) !== isPost || !['GET', 'POST'].includes(method))
      return null;
    if (order === '/due-day') {
      const asked = readDueDay(fields);
      if (!OUR_NUMBER.test(ourNumber)) fields.refuse('ourNumber');
      return () => of.changeDueDay({ ourNumber, ...asked }, respond);
    }
    const merchantId = fields.text('merchantId', MERCHANT_ID);
    const requestedAt = isPost ? fields.instant('requestedAt') : 0;
    if (!OUR_NUMBER.test(ourNumber)) fields.refuse('ourNumber');
    return isPost
      ? () => of.cancel({ merchantId, ourNumber, requestedAt }, respond)
      : () => of.find(merchantId, ourNumber, respond);
  }
}

function readChangesQuery(query: FieldReader) {
  return {
    merchantId: query.textOrNull('merchantId', MERCHANT_ID),
    cursor: readNumber(query, 'cursor', 0, 0, Number.MAX_SAFE_INTEGER),
    until: query.instantOrNull('until'),
    limit: readNumber(query, 'limit', 100, 1, MOST_ITEMS),
  };
}

/** A number in an address is a text. */
function readNumber(
  query: FieldReader,
  name: string,
  otherwise: number,
  least: number,
  most: number,
): number {
  const text = query.textOrNull(name, DIGITS);
  if (text === null) return otherwise;
  const value = Number(text);
  if (value < least || value > most) query.refuse(name);
  return value;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
