import type { Idempotency } from '../../../idempotency/module.ts';
import type { Keyring } from '../../../keys/open-keyring.ts';
import type { Feed } from '../../../platform/feeds/open-feed.ts';
import { serve } from '../../../platform/http/endpoint.ts';
import { counter, databaseGauge, gauge, type Metrics } from '../../../platform/metrics.ts';
import type { Module, ModuleContext, Published } from '../../../platform/module.ts';
import { declarePeer } from '../../../platform/process-reports/peer-metrics.ts';
import { mergeTexts } from '../../../platform/reference/wording.ts';
import type { ClockedWork, Work } from '../../../platform/work/due-work.ts';
import { countingWhenRead, everySoOften, forgetPersonalData } from '../../../platform/work/every-so-often.ts';
import { openOutageWatch } from '../../../platform/work/outage-watch.ts';
import { createWakeSignal } from '../../../platform/work/wake-signal.ts';
import type { BankSettings } from '../../../providers/banks/bank.ts';
import type { Banks } from '../../../providers/open-banks.ts';
import type { Webhooks } from '../../../webhooks/module.ts';
import { TERMS_REFUSALS } from '../../bill-contract.ts';
import { openPayersLine } from '../../payers/open-payers-line.ts';
import { agesByProvider, type Counted } from '../../unresolved/counted.sql.ts';
import { type AdvanceDueTools, advanceDueBoletos, knownBanks } from './advance-due-boletos.ts';
import { BOLETO_MESSAGES } from './boleto-contract.ts';
import { boletoIntentsWrite } from './boleto-intents.sql.ts';
import { boletoMovesWrite, boletoWishesWrite } from './boletos.sql.ts';
import type { CancelTools } from './cancel-boleto.ts';
import { openBankChanges } from './changes/module.ts';
import { BOLETO_LIST_FAULTS } from './contract.ts';
import { ACTING_DUE, earliestActing, findMerchantsActing } from './due-days.sql.ts';
import { BOLETO_ENDPOINTS, BOLETO_REFUSALS, REGISTRATION_SHAPES } from './endpoints.ts';
import type { IssueTools } from './issue-boleto.ts';
import { PAYERS } from './payers/payers.sql.ts';
import { PRINT_ENDPOINTS } from './print/endpoints.ts';
import PRINT_TEXTS from './print/texts.json' with { type: 'json' };
import TEXTS from './texts.json' with { type: 'json' };
import {
  type ResolveBoletosTools,
  resolveUnresolvedBoletos,
} from './unresolved/resolve-unresolved-boletos.ts';
import { countUnresolvedBoletos } from './unresolved/unresolved-boletos.sql.ts';

const COUNT_MILLISECONDS = 5_000;
const DUE_DAYS_MILLISECONDS = 5_000;
/** The most merchants with a clock ahead in one run. */
const MOST_AHEAD = 100;

/** Makes boletos overdue or ends them, by each merchant's business time. */
function advanceDueWork(tools: AdvanceDueTools): Work {
  const advance = async (signal: AbortSignal) => {
    await advanceDueBoletos(tools, null, signal);
    for (const merchantId of await findMerchantsActing(tools.database, knownBanks(tools), MOST_AHEAD)) {
      if (signal.aborted) return;
      await advanceDueBoletos(tools, merchantId, signal);
    }
  };
  const look = { piece: ACTING_DUE, values: () => [knownBanks(tools)] };
  return everySoOften('advanceDueBoletos', DUE_DAYS_MILLISECONDS, advance, look);
}

function advanceDueByClock(tools: AdvanceDueTools): ClockedWork {
  return {
    name: 'boletos',
    earliestDue: (merchantId, until) => earliestActing(tools.database, merchantId, knownBanks(tools), until),
    runDue: (merchantId, signal) => advanceDueBoletos(tools, merchantId, signal),
  };
}

/** Asks the database every five seconds at most, however often the metrics are read. */
function countingBoletos(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (counted: Counted) => void,
): Work {
  return countingWhenRead('countUnresolvedBoletos', COUNT_MILLISECONDS, metrics, async () =>
    observe(await countUnresolvedBoletos(database)),
  );
}

const BOLETO_RESOLUTIONS = counter(
  'parcela_boleto_resolutions_total',
  'Tries to have the bank answer about a boleto that nobody waits for, by what became of them.',
  ['outcome'],
);
const BANK_AWAY = gauge('parcela_bank_away', '1 while the bank answers none of the tries.', ['provider']);
declarePeer('bank', { away: BANK_AWAY, awayFor: 'boleto' });
const PAYERS_ERASED = counter(
  'parcela_payers_erased_total',
  "Boletos whose payer's data was removed because its time was over.",
);
const BOLETOS_UNRESOLVED = databaseGauge(
  'parcela_boletos_unresolved',
  'Boletos about which the bank has given no clear answer.',
);
const BOLETOS_UNRESOLVED_OLDEST_AGE_SECONDS = databaseGauge(
  'parcela_boletos_unresolved_oldest_age_seconds',
  'Age of the oldest of them; 0: none.',
  ['provider'],
);
const BOLETOS_UNRESOLVED_MOST_TRIES = databaseGauge(
  'parcela_boletos_unresolved_most_tries',
  'Most tries that one of them has had.',
);

export const BOLETOS: Published = {
  texts: mergeTexts([TEXTS, PRINT_TEXTS]),
  endpoints: [...BOLETO_ENDPOINTS, ...PRINT_ENDPOINTS],
  messages: BOLETO_MESSAGES,
  refusals: [
    {
      title: 'Terms of a boleto',
      text: 'Why a boleto is not issued, before the bank is asked.',
      refusals: TERMS_REFUSALS,
    },
    {
      title: 'Registration of a boleto',
      text: 'Why the bank does not register a boleto. Nothing was made; the entry carries its `boletoId`.',
      refusals: REGISTRATION_SHAPES,
    },
    {
      title: 'Lists of boletos',
      text: 'What the fields of a list of boletos must be to each other.',
      refusals: BOLETO_LIST_FAULTS,
    },
    { title: 'Boletos', text: 'Why nothing is done with a boleto.', refusals: BOLETO_REFUSALS },
  ],
};

/** After so many tries without any answer, one try a second detects the bank's return. */
const OUTAGE_LIMITS = {
  unresolvedInRow: 5,
  probePauseMilliseconds: 1_000,
  returnPauseMilliseconds: 15_000,
} as const;

type BoletosContext = ModuleContext & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly cell: string | null;
    readonly bank: Pick<BankSettings, 'timeoutMilliseconds' | 'changesSeconds'>;
    readonly customerRetentionDays: number;
  };
  readonly keyring: Keyring;
  readonly banks: Banks;
};

export type Boletos = Module & {
  /** For pages that make a boleto, and take it away. */
  readonly issuing: IssueTools;
  readonly canceling: CancelTools;
  /** Serves events that homologation forces. */
  readonly bankFeed: Feed;
};

/** Without a bank, boletos can be read and return files applied, but nothing is issued or canceled. */
export function openBoletos(
  context: BoletosContext,
  { idempotency, webhooks }: { readonly idempotency: Idempotency; readonly webhooks: Webhooks },
): Boletos {
  const { configuration, database, lookUp, search, batched, keyring, clock, banks, metrics } = context;
  const { deliverer, urlRules } = webhooks;
  const wakeSignal = createWakeSignal();
  const writeMove = batched(boletoMovesWrite(database, deliverer));
  const bankTimeoutMilliseconds = configuration.bank.timeoutMilliseconds;
  const asking = { database, clock, banks, bankTimeoutMilliseconds, writeMove, wakeSignal };
  const advance: AdvanceDueTools = { database, clock, banks, writeMove, wakeSignal };
  const changes = openBankChanges(context, { banks, deliverer });
  const issuing: IssueTools = {
    ...asking,
    keyring,
    lookUp,
    findRequest: idempotency.findRequest,
    writeBoletoIntent: batched(boletoIntentsWrite(database)),
  };
  const canceling = { ...asking, writeWish: batched(boletoWishesWrite(database, deliverer)) };
  return {
    bankFeed: changes,
    issuing,
    canceling,
    endpoints: [
      ...serve(PRINT_ENDPOINTS, { askForPayer: openPayersLine(lookUp), clock }),
      ...serve(BOLETO_ENDPOINTS, {
        ...issuing,
        ...canceling,
        cell: configuration.cell,
        search,
        callRules: urlRules,
      }),
    ],
    works: [
      advanceDueWork(advance),
      countingBoletos(context, observeUnresolved(metrics, banks)),
      ...forgetPersonalData('forgetOldPayers', PAYERS, context, PAYERS_ERASED),
      resolveUnresolvedBoletos(resolving(context, asking), wakeSignal),
      ...changes.works,
    ],
    clockedWork: [advanceDueByClock(advance)],
  };
}

function resolving(
  { banks, log, metrics }: BoletosContext,
  asking: Pick<ResolveBoletosTools, 'database' | 'banks' | 'clock' | 'bankTimeoutMilliseconds' | 'writeMove'>,
): ResolveBoletosTools {
  const resolutions = metrics.counter(BOLETO_RESOLUTIONS);
  return {
    ...asking,
    bankOutage: watchBanks(banks, metrics),
    observeBoleto: (outcome) => resolutions.inc({ outcome }),
    warnOfBoleto: ({ merchantId, boletoId, ourNumber, state, tries }, reason) =>
      log.warn({ merchantId, boletoId, ourNumber, state, tries, reason }, 'a boleto is not as it should be'),
  };
}

function watchBanks(banks: Pick<Banks, 'all'>, metrics: Metrics) {
  const away = metrics.gauge(BANK_AWAY);
  for (const provider of banks.all()) away.set({ provider }, 0);
  return openOutageWatch(OUTAGE_LIMITS, banks.all, ({ provider, isAway }) =>
    away.set({ provider }, isAway ? 1 : 0),
  );
}

function observeUnresolved(metrics: Metrics, banks: Pick<Banks, 'all'>): (counted: Counted) => void {
  const oldest = metrics.gauge(BOLETOS_UNRESOLVED_OLDEST_AGE_SECONDS);
  const setAges = agesByProvider(banks.all, (provider, seconds) => oldest.set({ provider }, seconds));
  return (counted) => {
    metrics.gauge(BOLETOS_UNRESOLVED).set(counted.count);
    setAges(counted);
    metrics.gauge(BOLETOS_UNRESOLVED_MOST_TRIES).set(counted.mostTries);
  };
}
