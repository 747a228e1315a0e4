import { whyNoCluster } from '../../chaos/failover/cluster.ts';
import { LAST_RELEASE, whyNoRelease } from '../../chaos/upgrade/last-release.ts';
import { PROXY_NAMES } from '../../test/proxies/proxies.ts';
import {
  CLUSTERS,
  OF_BROWSERS,
  OF_BUYERS,
  OF_CELLS,
  OF_CONFORMANCE,
  OF_PACKAGES,
  OF_SIMULATORS,
  PAPERS,
  STARTERS,
} from '../test-files.ts';
import { skipWithout } from '../test-programs.ts';

/** Stands for the seed of the proof, in words and in settings. */
export const SEED_WORD = '{seed}';

/** One of the things that `npm run proof` does, a program of this checkout by itself. */
export type Suite = {
  readonly name: string;
  readonly about: string;
  /** What Node is given: a program from the root of the checkout, and its words. */
  readonly words: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** Its share of the whole: so long it takes on two cores, beside another suite unless it is alone. */
  readonly minutes: number;
  /** It needs the machine for its load, or judges how much of it is used. */
  readonly isAlone: boolean;
  /** Why it cannot run on this machine; false when it can. */
  whyNot(): Promise<string | false>;
};

const here = async (): Promise<false> => false;
const together = { settings: {}, isAlone: false, whyNot: here };

/** Files of tests, in their full length. */
function files(...paths: readonly string[]): Pick<Suite, 'words' | 'settings' | 'isAlone' | 'whyNot'> {
  const settings = { PARCELA_TEST_LONG: '1', SEED: SEED_WORD, HOSTILE_SEED: SEED_WORD };
  return { ...together, words: ['tools/test.ts', ...paths], settings };
}

function chaos(...words: readonly string[]): Pick<Suite, 'words' | 'settings' | 'isAlone' | 'whyNot'> {
  return { ...together, words: ['chaos/run.ts', ...words, '--seed', SEED_WORD] };
}

async function whyNoProxies(): Promise<string | false> {
  return PROXY_NAMES.map(skipWithout).find((lack) => lack !== false) ?? false;
}

/** The longest first: two run at once, and those that are alone in the end. */
export const SUITES: readonly Suite[] = [
  {
    name: 'planted',
    about: 'the planted mistakes, each caught by the file of npm test that it names',
    ...together,
    words: ['chaos/run.ts', 'planted', '--fast'],
    minutes: 16,
  },
  {
    name: 'mutations',
    about: 'small mistakes over money, isolation, roles, signatures: each caught by a file of npm test',
    ...together,
    words: ['tools/mutations.ts'],
    minutes: 12,
  },
  {
    name: 'soak',
    about: 'a steady load for ten minutes, in which nothing grows, errs or differs',
    ...chaos('soak', '--minutes', '10', '--rate', '5'),
    minutes: 12,
  },
  {
    name: 'payments',
    about: 'payments and cancels under every kind of fault, three books compared',
    ...chaos('payments', '--kills', '70'),
    minutes: 6,
  },
  {
    name: 'recurrence',
    about: 'billings that fall due under every kind of fault',
    ...chaos('recurrence', '--kills', '30', '--processes', '2', '--billings', '400'),
    minutes: 8,
  },
  {
    name: 'webhooks',
    about: 'what merchants are notified of under every kind of fault',
    ...chaos('webhooks', '--kills', '26', '--processes', '2'),
    minutes: 6,
  },
  {
    name: 'boletos',
    about: 'boletos and files of the bank under every kind of fault',
    ...chaos('boletos', '--kills', '20', '--processes', '2'),
    minutes: 4,
  },
  {
    name: 'pix',
    about:
      'Pix and Pix Automático made, paid and given back while services, database and the bank of Pix break',
    ...chaos('pix', '--kills', '24', '--processes', '2'),
    minutes: 4,
  },
  {
    name: 'acquirers',
    about:
      'simulated Rede and Cielo and a bridge, and payments routed between them, under every kind of fault',
    ...chaos('acquirers', '--kills', '36', '--processes', '3'),
    minutes: 6,
  },
  {
    name: 'year',
    about:
      'a year of 100 subscriptions by card and Pix Automático by the clock, each billing paid once or explained',
    ...together,
    words: ['test/recurrence/year/run.ts', '--subscriptions', '100', '--seed', SEED_WORD],
    minutes: 8,
  },
  {
    name: 'kills',
    about:
      'payments, captures, charges, logins, keys and imports under many kills, starts beside a dying PostgreSQL, promotions',
    ...files(
      'test/payments/kill.test.ts',
      'test/payments/captures-kill.test.ts',
      'test/audit/parallel.test.ts',
      'test/keys/rotation.test.ts',
      'test/recurrence/calendar-of-charges-jumps.test.ts',
      'test/recurrence/events.test.ts',
      'test/operators/moving-kill.test.ts',
      'test/start/database-on-its-way.test.ts',
      ...CLUSTERS,
      ...STARTERS,
      ...OF_PACKAGES,
    ),
    minutes: 9,
  },
  {
    name: 'leaks',
    about: 'no card number or security code in any sink, twice at once, each the control of the other',
    ...files('test/leaks/leaks.test.ts'),
    minutes: 4,
  },
  {
    name: 'fields',
    about: 'every field of every endpoint with every hostile value, every page of the console by every role',
    ...files('test/hostile/**/*.test.ts', 'test/console/access.test.ts'),
    minutes: 4,
  },
  {
    name: 'hostile',
    about: 'requests with one to three faults each, drawn from the contract',
    ...together,
    words: ['test/hostile/run.ts', '--cases', '9000', '--seed', SEED_WORD],
    minutes: 2,
  },
  {
    name: 'document',
    about:
      'requests made from /openapi.json alone, its answers, two merchants, linters and generated clients',
    ...together,
    words: ['test/document/run.ts', '--seed', SEED_WORD],
    minutes: 3,
  },
  {
    name: 'bodies',
    about: 'mangled bodies and frames of every endpoint, at length',
    ...files('test/wire/bodies.test.ts', 'test/wire/framing.test.ts'),
    minutes: 2,
  },
  {
    name: 'browser',
    about: 'every page of the console in every window, scheme and language, and that of payment links',
    ...files('test/console/browser.test.ts', ...OF_BROWSERS, ...OF_BUYERS),
    minutes: 5,
    whyNot: async () => skipWithout('chromium'),
  },
  {
    name: 'papers',
    about:
      'guides, tour, backups, a packed release and Debian from nothing to a sale, done as their readers do',
    ...files(...PAPERS),
    minutes: 5,
  },
  {
    name: 'model',
    about:
      'plans, subscriptions and billings of two merchants beside a small model, all its seeds; files of each format; each adapter of acquirers; conformance; simulators; cells',
    ...files(
      ...OF_CONFORMANCE,
      ...OF_SIMULATORS,
      ...OF_CELLS,
      'test/recurrence/model/model.test.ts',
      'test/reconciliation/files-agree.test.ts',
      'test/providers/port/port.test.ts',
    ),
    minutes: 3,
  },
  {
    name: 'restore',
    about: 'a lost database, recovered under load, and its books brought to the acquirer’s',
    ...chaos('restore', '--seconds', '20', '--rate', '10'),
    minutes: 3,
  },
  {
    name: 'crowd',
    about: 'two merchants served while strangers and a third merchant attack',
    ...chaos(
      'crowd',
      '--rate',
      '5',
      '--seconds',
      '6',
      '--size',
      '0.1',
      '--health',
      '20000',
      '--answers-only',
    ),
    isAlone: true,
    minutes: 3,
  },
  {
    name: 'upgrade',
    about: 'the last release and this version on one database, forwards and back, under load',
    ...chaos('upgrade', '--rate', '5', '--seconds', '10'),
    minutes: 3,
    whyNot: async () => (await whyNoRelease(LAST_RELEASE)) ?? false,
  },
  {
    name: 'rolling',
    about: 'two processes behind each proxy, restarted in turn, and no request fails',
    ...together,
    words: ['test/proxies/run.ts', 'rolling', '--restarts', '4'],
    isAlone: true,
    minutes: 2,
    whyNot: whyNoProxies,
  },
  {
    name: 'failover',
    about: 'three PostgreSQL under Patroni, the primary struck while merchants pay',
    ...chaos('failover', '--times', '2', '--rate', '20'),
    isAlone: true,
    minutes: 4,
    whyNot: async () => whyNoCluster() ?? false,
  },
];
