import { type FilledIn, filled, type Language } from '../../platform/http/sentence.ts';
import { instant, saoPauloOffsetText } from '../../values/instant.ts';

export type Wording = {
  readonly language: Language;
  /** The English text is the key. `{name}` stands for a value. */
  readonly say: (english: string, values?: FilledIn) => string;
  /** Cents. */
  readonly money: (cents: number) => string;
  /** Cents, with a sign. */
  readonly signed: (cents: number) => string;
  /** Cents of US dollars. */
  readonly dollars: (cents: number) => string;
  /** A part of one: 0.5 is a half. */
  readonly percent: (part: number) => string;
  /** Like `percent`, with a sign. */
  readonly change: (part: number) => string;
  /** Reais as the API writes them, with two to six decimals. */
  readonly reais: (amount: number) => string;
  /** YYYY-MM-DD, with or without a time. */
  readonly day: (day: string) => string;
  readonly weekday: (day: string) => string;
  readonly count: (count: number) => string;
  /** A short number for axes. */
  readonly briefly: (value: number) => string;
  /** The API's form or milliseconds. Shown in São Paulo time. */
  readonly moment: (at: string | number) => string;
  /** Marks real time on pages whose days follow a moved clock; elsewhere empty. */
  readonly realMark: string;
  /** Seconds, in the largest fitting unit. A negative duration shows as zero. */
  readonly duration: (seconds: number) => string;
};

const LOCALES = { pt: 'pt-BR', en: 'en-GB' } as const satisfies Record<Language, string>;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `texts`: the Portuguese of each English text. */
export function wordingIn(language: Language, texts: Readonly<Record<string, string>>): Wording {
  const locale = LOCALES[language];
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'BRL' });
  const signed = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'BRL',
    signDisplay: 'exceptZero',
  });
  const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const change = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const reais = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'BRL',
    maximumFractionDigits: 6,
  });
  const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'short' });
  const weekday = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'short' });
  const number = new Intl.NumberFormat(locale);
  const brief = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const moment = new Intl.DateTimeFormat(locale, {
    timeZone: 'America/Sao_Paulo',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return {
    language,
    say(english, values = {}) {
      const text = language === 'en' ? english : (texts[english] ?? english);
      return filled(text, values);
    },
    money: (cents) => money.format(cents / 100),
    signed: (cents) => signed.format(cents / 100),
    dollars: (cents) => dollars.format(cents / 100),
    percent: (part) => percent.format(part),
    change: (part) => change.format(part),
    reais: (amount) => reais.format(amount),
    day: (text) => day.format(new Date(`${text.slice(0, 10)}T00:00:00Z`)),
    weekday: (text) => weekday.format(new Date(`${text.slice(0, 10)}T00:00:00Z`)),
    count: (count) => number.format(count),
    briefly: (value) => brief.format(value),
    moment: (at) => moment.format(new Date(machineMoment(at))),
    realMark: '',
    duration(seconds) {
      const [unit, size] = UNITS.find((one) => seconds >= one[1]) ?? ['second', 1];
      const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
      const text = new Intl.NumberFormat(locale, style).format(Math.max(0, Math.floor(seconds / size)));
      // Keeps a number and its unit on one line.
      return text.replaceAll(' ', '\u00a0');
    },
  };
}

export function besideMovedClock(wording: Wording): Wording {
  return { ...wording, realMark: wording.say('real time') };
}

const HAS_ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/** A time that the APIs give without a zone is São Paulo's. */
export function machineMoment(at: string | number): string {
  if (typeof at === 'number') return saoPauloOffsetText(instant(at));
  return HAS_ZONE.test(at) ? at : `${at}-03:00`;
}
