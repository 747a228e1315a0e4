import type { TSchema } from 'typebox';
import { isBlank } from '../../values/blank-text.ts';
import { ExactNumber, type JsonValue } from '../../values/exact-json.ts';
import type { Fault } from '../http/endpoint.ts';
import { MOST_FAULTS } from '../http/schema-faults.ts';
import type { Sentence } from '../http/sentence.ts';

const NOT_OFFERED: Sentence = {
  pt: 'Este campo muda a cobrança em outros gateways e não é oferecido aqui, com este nome neste lugar. Nada foi feito; corrija-o ou envie sem ele.',
  en: 'This field changes the charge at other gateways and is not offered here, by this name at this place. Nothing was done; correct it or send it without.',
};
export const FOREIGN_FIELD_SENTENCES = [NOT_OFFERED];

/**
 * Names of fields that decide a charge at other gateways, or stand at the wrong place here. Written in lower
 * case, without blanks, dots, `_` and `-`.
 */
const CHARGED_BY = [
  // 3-D Secure.
  ...['code3ds', '3ds', 'threeds', 'threeds2', 'threedsecure', 'threedsid', 'authenticate'],
  ...['externalauthentication', 'cavv', 'cavvucaf', 'ucaf', 'eci', 'xid', 'programprotocol'],
  ...['threedsecuremode', 'threeds2requestdata', 'mpidata'],
  // Who gets the money.
  ...['sellers', 'subsellers', 'split', 'splits', 'splitpayments', 'splitrules', 'configsplit', 'dosplit'],
  ...['marketplacesubsellerpayments', 'transferdata', 'onbehalfof', 'applicationfee', 'applicationfeeamount'],
  // How much, and when.
  ...['currency', 'currencycode', 'servicetaxamount', 'departuretax', 'tip', 'tipamount', 'interest'],
  ...[
    'capture',
    'capturetype',
    'capturemethod',
    'capturedelayhours',
    'delayed',
    'preauthorization',
    'preauth',
  ],
  ...['authorizeonly', 'authonly', 'operationtype', 'recurrentpayment'],
];

const NOTHING = ['false', '0'];

/** Values of these fields that change nothing. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  currency: ['brl', '986', 'r$'],
  currencycode: ['brl', '986', 'r$'],
  capture: ['true'],
  capturetype: ['ac'],
  capturemethod: ['automatic', 'automatic_async'],
  operationtype: ['auth_and_capture'],
  threedsecuremode: ['not_supported', ...NOTHING],
  interest: ['bymerchant', ...NOTHING],
};
const harmlessOf = (name: string): readonly string[] => HARMLESS[name] ?? NOTHING;

export const FOREIGN_FIELDS = CHARGED_BY.map((name) => ({ name, harmless: harmlessOf(name) }));

type Parts = { readonly properties?: Readonly<Record<string, TSchema>>; readonly items?: TSchema };

/**
 * Finds foreign fields at any depth, no more than an answer shows. Fields of the schema and other unknown
 * ones are no faults.
 */
export function findForeignFields(schema: TSchema | undefined, value: JsonValue): Fault[] {
  const found: Fault[] = [];
  gather(schema, value, '', found);
  return found;
}

function gather(schema: TSchema | undefined, value: JsonValue, pointer: string, found: Fault[]): void {
  if (value === null || typeof value !== 'object' || value instanceof ExactNumber) return;
  const { properties = {}, items } = (schema ?? {}) as Parts;
  for (const [sent, own] of Object.entries(value)) {
    if (found.length >= MOST_FAULTS) return;
    if (Array.isArray(value)) {
      gather(items, own, `${pointer}/${sent}`, found);
      continue;
    }
    const name = Object.hasOwn(properties, sent) ? sent : sent.charAt(0).toLowerCase() + sent.slice(1);
    const isKnown = Object.hasOwn(properties, name);
    const here = `${pointer}/${isKnown ? name : sent}`;
    if (!isKnown && isForeign(sent, own)) found.push({ tag: here, sentence: NOT_OFFERED });
    else gather(isKnown ? properties[name] : undefined, own, here, found);
  }
}

function isForeign(sent: string, value: unknown): boolean {
  const name = sent.toLowerCase().replaceAll(/[\s._-]/g, '');
  return CHARGED_BY.includes(name) && !isHarmless(name, value);
}

function isHarmless(name: string, value: unknown): boolean {
  if (value === null || isBlank(value)) return true;
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return Object.keys(value).length === 0;
  const text = String(value instanceof ExactNumber ? value.source : value)
    .trim()
    .toLowerCase();
  return harmlessOf(name).includes(text);
}
