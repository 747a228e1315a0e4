import { READ_TIME } from '../src/platform/database-time.sql.ts';
import { serve } from '../src/platform/http/endpoint.ts';
import type { Module, ModuleContext, Published } from '../src/platform/module.ts';
import { DISPATCH } from '../src/platform/work/dispatch-policy.ts';
import { Dispatcher } from '../src/platform/work/dispatcher.ts';
import { CLOCKED_KINDS, type ClockedWork, type Work } from '../src/platform/work/due-work.ts';
import { alsoWhileHeld, following, noting } from '../src/platform/work/every-so-often.ts';
import { createWakeSignal, type WakeSignal } from '../src/platform/work/wake-signal.ts';
import { BANK_PAPER_ENDPOINTS, BANK_PAPER_REFUSALS } from './bank/endpoints.ts';
import type { BankTools } from './boletos/boleto-event.ts';
import { BOLETO_EVENT_ENDPOINTS, BOLETO_EVENT_FAULTS, BOLETO_EVENT_REFUSALS } from './boletos/endpoints.ts';
import { TRIAL_CARD_ENDPOINTS } from './cards/endpoints.ts';
import { CLOCK_ENDPOINTS, CLOCK_FAULTS, CLOCK_REFUSALS } from './clock/endpoints.ts';
import { claimJumps, EARLIEST_JUMP, type HeldJump } from './clock/jumps.sql.ts';
import { JUMP_LEASE_MILLISECONDS, type MoveTools, moveClock } from './clock/move-clock.ts';
import type { TestClock } from './clock/open-test-clock.ts';
import { LEDGER_ENDPOINTS } from './endpoints.ts';
import type { EventTools } from './events/ask-for-event.ts';
import { EVENT_ENDPOINTS, EVENT_FAULTS, EVENT_REFUSALS } from './events/endpoints.ts';
import { pullClockedBankChanges, pullClockedChanges } from './events/pull-clocked-changes.ts';
import { FILE_ENDPOINTS, FILE_REFUSALS } from './files/endpoints.ts';
import { SCRIPT_ENDPOINTS, SCRIPT_FAULTS, SCRIPT_REFUSALS } from './script/endpoints.ts';
import TEXTS from './texts.json' with { type: 'json' };
import { TRIALS } from './trials.ts';

/** Moves clocks in jumps that no process holds: new ones, and those of a process that died. */
export function clockWork(
  tools: MoveTools & { readonly wakeSignal: WakeSignal; readonly ended: WakeSignal },
): Work {
  return new Dispatcher<HeldJump, void>({
    name: 'moveClocks',
    limits: DISPATCH.jumps,
    wakeSignal: tools.wakeSignal,
    async claim(limit) {
      const tasks = await claimJumps(tools.database, limit, JUMP_LEASE_MILLISECONDS);
      return { tasks, isEnd: true };
    },
    send: (jump, stopping) => moveClock(tools, jump, stopping).finally(() => tools.ended.notify()),
    record: async () => {},
    piece: EARLIEST_JUMP,
  });
}

/** Follows other processes' clocks, and the database's time. */
function followClocks(testClock: TestClock): Work[] {
  return [
    alsoWhileHeld(following('followClocks', testClock.version, testClock.reload)),
    alsoWhileHeld(noting('followDatabaseTime', READ_TIME, testClock.noteTime)),
  ];
}

export const HOMOLOGATION: Published = {
  tables: TRIALS,
  texts: TEXTS,
  endpoints: [
    ...LEDGER_ENDPOINTS,
    ...FILE_ENDPOINTS,
    ...BANK_PAPER_ENDPOINTS,
    ...CLOCK_ENDPOINTS,
    ...EVENT_ENDPOINTS,
    ...BOLETO_EVENT_ENDPOINTS,
    ...SCRIPT_ENDPOINTS,
    ...TRIAL_CARD_ENDPOINTS,
  ],
  refusals: [
    {
      title: 'Goal of a jump',
      text: 'Homologation only: what the fields of a jump of the test clock must be to each other.',
      refusals: CLOCK_FAULTS,
    },
    {
      title: 'Test clock',
      text: 'Homologation only: why the test clock is not moved.',
      refusals: CLOCK_REFUSALS,
    },
    {
      title: 'Fields of an event',
      text: 'What the fields of an event of homologation must be to each other.',
      refusals: EVENT_FAULTS,
    },
    {
      title: 'Events by hand',
      text: 'Why an event of homologation does not happen.',
      refusals: EVENT_REFUSALS,
    },
    {
      title: 'Files of the acquirer',
      text: 'Homologation only: why a file of the acquirer is not written.',
      refusals: FILE_REFUSALS,
    },
    {
      title: 'Papers of the bank',
      text: "Homologation only: why the bank's ledger or a return file is not read.",
      refusals: BANK_PAPER_REFUSALS,
    },
    {
      title: 'Fields of an event of a boleto',
      text: 'What the fields of an event of a boleto in homologation must be to each other.',
      refusals: BOLETO_EVENT_FAULTS,
    },
    {
      title: 'Events of boletos by hand',
      text: 'Why an event of a boleto in homologation does not happen.',
      refusals: BOLETO_EVENT_REFUSALS,
    },
    {
      title: 'Steps of a script',
      text: 'Homologation only: what the fields of a step of the script of the acquirer must be to each other.',
      refusals: SCRIPT_FAULTS,
    },
    {
      title: 'Scripts of the acquirer',
      text: 'Homologation only: why the simulator takes no script.',
      refusals: SCRIPT_REFUSALS,
    },
  ],
};

/** Longer than any lease, so that the lease of a dead process ends first. */
const PATIENCE_MILLISECONDS = 45_000;

type HomologationContext = Pick<ModuleContext, 'database' | 'log'> & {
  readonly configuration: { readonly clockAnswerMilliseconds: number };
  readonly testClock: TestClock;
};

/** `stopWaiting` answers callers that wait for the end of a jump. */
export type Homologation = Module & { readonly stopWaiting: () => Promise<void> };

export function openHomologation(
  { configuration, database, log, testClock }: HomologationContext,
  { simulatorUrl, changes, bank }: EventTools & { readonly bank: BankTools | null },
  clockedWork: readonly ClockedWork[],
  isRunHere: (work: ClockedWork) => boolean,
): Homologation {
  const stopping = new AbortController();
  const [wakeSignal, ended] = [createWakeSignal(), createWakeSignal()];
  const pulling = [
    pullClockedChanges({ simulatorUrl, changes }),
    ...(bank === null ? [] : [pullClockedBankChanges(bank)]),
  ];
  const works = [...pulling, ...clockedWork]
    .filter(isRunHere)
    .toSorted((one, other) => CLOCKED_KINDS.indexOf(one.name) - CLOCKED_KINDS.indexOf(other.name));
  return {
    stopWaiting: async () => stopping.abort(),
    endpoints: [
      ...serve(LEDGER_ENDPOINTS, { simulatorUrl }),
      ...serve(FILE_ENDPOINTS, { simulatorUrl, clock: changes.clock }),
      ...serve(BANK_PAPER_ENDPOINTS, { bankUrl: bank?.bankUrl ?? null, clock: changes.clock }),
      ...serve(EVENT_ENDPOINTS, { simulatorUrl, changes }),
      ...serve(BOLETO_EVENT_ENDPOINTS, { bank }),
      ...serve(SCRIPT_ENDPOINTS, { simulatorUrl }),
      ...serve(TRIAL_CARD_ENDPOINTS, {}),
      ...serve(CLOCK_ENDPOINTS, {
        database,
        testClock,
        wakeSignal,
        ended,
        answerMilliseconds: configuration.clockAnswerMilliseconds,
        stopping: stopping.signal,
      }),
    ],
    works: [
      ...followClocks(testClock),
      clockWork({
        database,
        testClock,
        wakeSignal,
        ended,
        works,
        patienceMilliseconds: PATIENCE_MILLISECONDS,
        warn: (merchantId, kind, dueAt) =>
          log.warn({ merchantId, kind, dueAt }, 'the test clock went past something that could not be run'),
        warnOfManySteps: (merchantId) =>
          log.warn(
            { merchantId },
            'the test clock passed the rest of a jump at once: too much fell due in it',
          ),
      }),
    ],
    clockedWork: [],
  };
}
