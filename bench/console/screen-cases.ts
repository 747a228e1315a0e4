import type { Screen } from '../../src/console/parts/screen.ts';
import { addDays, type Day } from '../../src/values/instant.ts';

/** A merchant whose pages are looked at, by its name in the tables of the report. */
export type Owner = 'giant' | 'ordinary';
export const OWNERS: readonly Owner[] = ['giant', 'ordinary'];

/** What stands in paths, of one merchant: by the names in the patterns. */
export type Things = Readonly<Record<string, string>>;

/** One way to look at a screen. */
export type Look = {
  /** Beside the name of the screen; absent: as it opens. */
  readonly title?: string;
  readonly query?: (things: Things, today: Day) => Readonly<Record<string, string>>;
  /** What is sent as a form, of a screen that takes one. */
  readonly form?: (things: Things) => Readonly<Record<string, string>>;
  /** A page that finds nothing is not looked at as it is meant. */
  readonly mustFind?: true;
  /** It goes through all that its days have, behind the page, however much that is. */
  readonly readsOn?: true;
  /** Absent: of each. */
  readonly of?: readonly Owner[];
};

const OPEN: Look = {};
const payments = (title: string, days: number, filter: Readonly<Record<string, string>> = {}): Look => ({
  title,
  query: (_things, today) => ({
    dateRangeStartDate: addDays(today, 1 - days),
    dateRangeEndDate: today,
    ...filter,
  }),
});
/** Days of which all is paid. No index has what is `Autorizada`, so that every sale is looked through. */
const ofOldDays = (status: string) => (_things: Things, today: Day) => ({
  dateRangeStartDate: addDays(today, -220),
  dateRangeEndDate: addDays(today, -128),
  status,
});
const search = (title: string, name: string): Look => ({
  title,
  form: (things) => ({ q: things[name] ?? '' }),
  mustFind: true,
});

/** What is looked at beside each screen as it opens. */
const MORE: Readonly<Record<string, readonly Look[]>> = {
  // The sales of two days are summed behind the page.
  '/merchants/{merchantId}/today': [{ readsOn: true }],
  '/merchants/{merchantId}/payments': [
    OPEN,
    payments('a month', 30),
    payments('93 days', 93),
    payments('93 days, canceled', 93, { status: 'Cancelada' }),
    payments('93 days, blocked', 93, { status: 'Bloqueada' }),
    payments('93 days, declined', 93, { status: 'Negada' }),
    payments('93 days, last four', 93, { lastFour: '0010' }),
    { title: 'old, none authorized', query: ofOldDays('Autorizada'), readsOn: true },
    { title: 'old, none processing', query: ofOldDays('Processando') },
    payments('a month, page 40', 30, { page: '40' }),
  ],
  // A file is as long as its filter says: what is asked for again and again is a small one.
  '/merchants/{merchantId}/payments.csv': [{ of: ['ordinary'] }],
  // The same rows.
  '/merchants/{merchantId}/payments.xlsx': [],
  '/merchants/{merchantId}/search': [
    search('reference', 'referenceTransaction'),
    search('nsu', 'nsu'),
    search('authorization code', 'authorizationCode'),
    search('last four', 'lastFour'),
    search('payment', 'paymentId'),
    { title: 'nothing', form: () => ({ q: 'no such thing' }) },
  ],
  '/merchants/{merchantId}/subscriptions': [
    OPEN,
    { title: 'active', query: () => ({ status: 'Active' }) },
    { title: 'canceled', query: () => ({ status: 'Canceled' }) },
    { title: 'of a plan', query: () => ({ planName: 'Revista 4' }) },
    { title: 'by order', query: (things) => ({ orderNumber: things.orderNumber ?? '' }) },
  ],
  '/merchants/{merchantId}/reconciliation.csv': [
    { of: ['ordinary'], query: () => ({ by: 'sale' }) },
    { of: ['ordinary'], title: 'by payment', query: () => ({ by: 'payment' }) },
  ],
  '/merchants/{merchantId}/reconciliation.xlsx': [],
  '/merchants/{merchantId}/notifications/deliveries': [
    OPEN,
    { title: 'given up', query: () => ({ status: 'GivenUp' }) },
    { title: 'by nsu', query: (things) => ({ nsu: things.nsu ?? '' }) },
  ],
  '/merchants/{merchantId}/homologation/acquirer/file': [
    { query: (_things, today) => ({ day: addDays(today, -1), format: 'adiq' }) },
  ],
  // The bench has no simulated bank.
  '/merchants/{merchantId}/homologation/acquirer/return-file': [],
  '/merchants/{merchantId}/charts': [
    { readsOn: true },
    { title: 'today', query: (_things, today) => ({ from: today, to: today }) },
    {
      title: 'a month',
      query: (_things, today) => ({ from: addDays(today, -29), to: today }),
      readsOn: true,
    },
  ],
  '/exceptions': [
    OPEN,
    { title: 'of a merchant', query: (things) => ({ merchant: things.merchantId ?? '' }), mustFind: true },
  ],
  '/audit': [OPEN, { title: 'of nobody', query: () => ({ actor: 'nobody' }) }],
};

export type ScreenCase = {
  /** As the report names it. */
  readonly title: string;
  readonly pattern: string;
  /** Whose page it is; null: of no merchant. */
  readonly owner: Owner | null;
  /** By whose user it is looked at. */
  readonly by: 'operator' | 'merchant';
  readonly look: Look;
};

/** Every screen, each way in which it is looked at, of the giant and of an ordinary merchant. */
export function casesOf(screens: readonly Pick<Screen<never>, 'path' | 'of'>[]): ScreenCase[] {
  const paths = screens.map(({ path }) => path);
  const gone = Object.keys(MORE).filter((path) => !paths.includes(path));
  if (gone.length > 0) throw new Error(`no screen has the path ${gone.join(', ')}`);
  return screens.flatMap(({ path, of: by }) => {
    const isOfMerchant = path.includes('{merchantId}');
    return (MORE[path] ?? [OPEN]).flatMap((look) => {
      const title = look.title === undefined ? path : `${path}, ${look.title}`;
      const owners = isOfMerchant ? (look.of ?? OWNERS) : [null];
      return owners.map((owner): ScreenCase => ({ title, pattern: path, owner, by, look }));
    });
  });
}

/** The names in a path; those of things that stand in several patterns go by the whole pattern. */
function namesIn(pattern: string): string[] {
  return [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => (name === 'id' ? pattern : name));
}

/**
 * What is asked for. Throws where nobody says what stands in the path: a screen that nobody looks at is
 * forgotten.
 */
export function addressOf({ pattern, look }: ScreenCase, things: Things, today: Day): string {
  const missing = namesIn(pattern).filter((name) => things[name] === undefined);
  if (missing.length > 0)
    throw new Error(`${pattern}: say in bench/console/found-things.ts what ${missing.join(', ')} is`);
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(things[name === 'id' ? pattern : name] ?? ''),
  );
  const query = new URLSearchParams(look.query?.(things, today) ?? {}).toString();
  return `/console${path}${query === '' ? '' : `?${query}`}`;
}
