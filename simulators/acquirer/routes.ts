import { isDay } from '../kit/days.ts';
import { FieldReader, INSTANT } from '../kit/field-reader.ts';
import { FILE_FAULTS } from '../kit/files/file-faults.ts';
import { MOST_ROWS } from '../kit/files/files.ts';
import { ABOUT } from './about.ts';
import type { Acquirer, Respond } from './acquirer.ts';
import { malformed, ok, UNKNOWN_PATH } from './answers.ts';
import { FILE_FORMATS, type FileQuery } from './files.ts';
import { allCharges, ledgerPage } from './ledger-pages.ts';
import { listPage } from './listed-charges.ts';
import {
  type ChangesQuery,
  MERCHANT_ID,
  MERCHANT_REFERENCE,
  REFERENCE,
  readAuthorization,
  readCancellation,
  readCapture,
  readScript,
  readUndo,
  readVerification,
  readWantedChange,
} from './requests.ts';

type Reading = (acquirer: Acquirer, query: QueryReader, respond: Respond) => void;

const CHARGES_PATH = '/charges/';
const CAPTURES_PATH = '/captures/';

const READINGS: Readonly<Record<string, Reading>> = {
  '/about': (_acquirer, _query, respond) => respond(ok(ABOUT), null),
  '/charges': (acquirer, query, respond) => {
    const asked = {
      merchantId: query.textOrNull('merchantId', MERCHANT_ID),
      since: query.instantOrNull('since') ?? 0,
      after: query.integer('after', 0, 0, Number.MAX_SAFE_INTEGER),
      limit: query.integer('limit', 100, 1, 100),
    };
    unlessFaulty(query, respond, () => acquirer.read((charges) => listPage(charges, asked), respond));
  },
  '/changes': (acquirer, query, respond) => {
    const asked = readChangesQuery(query);
    unlessFaulty(query, respond, () => acquirer.tellChanges(asked, respond));
  },
  '/changes/next': (acquirer, query, respond) => {
    const asked = readChangesQuery(query);
    unlessFaulty(query, respond, () => acquirer.tellNextChange(asked, respond));
  },
  '/files': (acquirer, query, respond) => {
    const asked = readFileQuery(query);
    unlessFaulty(query, respond, () => acquirer.writeFile(asked, respond));
  },
  '/ledger': (acquirer, query, respond) => {
    const asked = {
      merchantId: query.text('merchantId', MERCHANT_ID),
      merchantReference: query.textOrNull('merchantReference', MERCHANT_REFERENCE),
      reference: query.textOrNull('reference', REFERENCE),
      limit: query.integer('limit', 100, 1, 1_000),
    };
    unlessFaulty(query, respond, () => acquirer.read((charges) => ledgerPage(charges, asked), respond));
  },
  '/script': (acquirer, query, respond) => {
    const merchantId = query.text('merchantId', MERCHANT_ID);
    unlessFaulty(query, respond, () => acquirer.readScript(merchantId, respond));
  },
  '/ledger/summary': (acquirer, _query, respond) => acquirer.read((charges) => charges.summary, respond),
  '/ledger/all': (acquirer, query, respond) => {
    const after = query.integer('after', 0, 0, Number.MAX_SAFE_INTEGER);
    const limit = query.integer('limit', 1_000, 1, 10_000);
    unlessFaulty(query, respond, () =>
      acquirer.read((charges) => allCharges(charges, after, limit), respond),
    );
  },
};

type Order = (acquirer: Acquirer, fields: FieldReader, respond: Respond) => void;

const ORDERS: Readonly<Record<string, Order>> = {
  '/authorizations': (acquirer, fields, respond) => {
    const request = readAuthorization(fields, 'atOnce');
    unlessFaulty(fields, respond, () => acquirer.authorize(request, respond));
  },
  '/preauthorizations': (acquirer, fields, respond) => {
    const request = readAuthorization(fields, 'later');
    unlessFaulty(fields, respond, () => acquirer.authorize(request, respond));
  },
  '/captures': (acquirer, fields, respond) => {
    const request = readCapture(fields);
    unlessFaulty(fields, respond, () => acquirer.capture(request, respond));
  },
  '/undos': (acquirer, fields, respond) => {
    const request = readUndo(fields);
    unlessFaulty(fields, respond, () => acquirer.undo(request, respond));
  },
  '/cancellations': (acquirer, fields, respond) => {
    const request = readCancellation(fields);
    unlessFaulty(fields, respond, () => acquirer.cancel(request, respond));
  },
  '/verifications': (acquirer, fields, respond) => {
    const request = readVerification(fields);
    unlessFaulty(fields, respond, () => acquirer.verify(request, respond));
  },
  '/changes': (acquirer, fields, respond) => {
    const request = readWantedChange(fields);
    unlessFaulty(fields, respond, () => acquirer.change(request, respond));
  },
  '/script': (acquirer, fields, respond) => {
    const request = readScript(fields);
    unlessFaulty(fields, respond, () => acquirer.writeScript(request, respond));
  },
};

/** Leads a request to what the acquirer does. `body` is what a POST brought. */
export function route(
  acquirer: Acquirer,
  { method, url, body }: { readonly method: string; readonly url: string; readonly body: string },
  respond: Respond,
): void {
  const [path = '', search = ''] = url.split('?', 2);
  if (method === 'POST' && Object.hasOwn(ORDERS, path)) {
    ORDERS[path]?.(acquirer, new FieldReader(jsonOf(body)), respond);
  } else if (method === 'GET' && Object.hasOwn(READINGS, path)) {
    READINGS[path]?.(acquirer, new QueryReader(search), respond);
  } else if (method === 'GET' && path.startsWith(CHARGES_PATH)) {
    const asked = readReference(path.slice(CHARGES_PATH.length), new QueryReader(search));
    unlessFaulty(asked, respond, () => acquirer.find(asked.merchantId, asked.reference, respond));
  } else if (method === 'GET' && path.startsWith(CAPTURES_PATH)) {
    const asked = readReference(path.slice(CAPTURES_PATH.length), new QueryReader(search));
    unlessFaulty(asked, respond, () => acquirer.findCapture(asked.merchantId, asked.reference, respond));
  } else respond(UNKNOWN_PATH, null);
}

function readChangesQuery(query: QueryReader): ChangesQuery {
  return {
    merchantId: query.textOrNull('merchantId', MERCHANT_ID),
    after: query.integer('after', 0, 0, Number.MAX_SAFE_INTEGER),
    until: query.instantOrNull('until'),
    limit: query.integer('limit', 100, 1, 1_000),
  };
}

function readFileQuery(query: QueryReader): FileQuery {
  const day = query.text('day', /^\d{4}-\d\d-\d\d$/);
  if (!isDay(day)) query.refuse('day');
  return {
    merchantId: query.text('merchantId', MERCHANT_ID),
    format: query.word('format', FILE_FORMATS),
    day,
    until: query.instantOrNull('until'),
    fault: query.wordOrNull('fault', FILE_FAULTS),
    position: query.integer('row', 1, 1, MOST_ROWS),
  };
}

function readReference(segment: string, query: QueryReader) {
  const reference = decoded(segment);
  const merchantId = query.text('merchantId', MERCHANT_ID);
  if (reference === null || !REFERENCE.test(reference)) query.refuse('reference');
  return { merchantId, reference: reference ?? '', fault: query.fault };
}

function unlessFaulty(reader: { readonly fault: string | null }, respond: Respond, act: () => void): void {
  if (reader.fault === null) act();
  else respond(malformed(reader.fault), null);
}

/** The parameters of an address, whose values are texts. */
class QueryReader {
  fault: string | null = null;
  readonly #parameters: URLSearchParams;

  constructor(search: string) {
    this.#parameters = new URLSearchParams(search);
  }

  text(name: string, pattern: RegExp): string {
    const value = this.#parameters.get(name) ?? '';
    if (!pattern.test(value) || !this.#parameters.has(name)) this.refuse(name);
    return value;
  }

  textOrNull(name: string, pattern: RegExp): string | null {
    return this.#parameters.has(name) ? this.text(name, pattern) : null;
  }

  word<W extends string>(name: string, words: readonly [W, ...W[]]): W {
    const found = words.find((word) => word === this.#parameters.get(name));
    if (found === undefined) this.refuse(name);
    return found ?? words[0];
  }

  wordOrNull<W extends string>(name: string, words: readonly [W, ...W[]]): W | null {
    return this.#parameters.has(name) ? this.word(name, words) : null;
  }

  integer(name: string, otherwise: number, least: number, most: number): number {
    if (!this.#parameters.has(name)) return otherwise;
    const value = Number(this.text(name, /^\d{1,16}$/));
    if (value < least || value > most) this.refuse(name);
    return value;
  }

  /** In milliseconds since 1970. */
  instantOrNull(name: string): number | null {
    if (!this.#parameters.has(name)) return null;
    const value = Date.parse(this.text(name, INSTANT));
    if (Number.isNaN(value)) this.refuse(name);
    return value;
  }

  refuse(name: string): void {
    this.fault ??= name;
  }
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
