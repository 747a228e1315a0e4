import { decideRestored } from '../../reconciliation/restored/decide-restored.ts';
import {
  decisionsOn,
  PERSONS_DECISIONS,
  type PersonsDecision,
  type RestoredCharge,
} from '../../reconciliation/restored/restored-charge.ts';
import { listWaiting } from '../../reconciliation/restored/restored-charges.sql.ts';
import { reaisText } from '../../values/cents.ts';
import { utcText } from '../../values/instant.ts';
import { NO_ACQUIRER, withAcquirers } from '../acquirer-of-command.ts';
import {
  type Command,
  type CommandOutcome,
  idCheck,
  limitOption,
  option,
  reasonOption,
  refused,
  required,
  table,
  USUAL_LIMIT,
  visible,
} from '../command.ts';
import { fillToolsOf, otherCell } from './restore-reconcile.ts';

const MOST_LISTED = 1_000;

const OF_MERCHANT = option('--merchant ID', 'only of this merchant');

export const RESTORE_LIST: Command = {
  words: ['restore', 'list'],
  summary: 'show the charges of a restored database that are not all in the books, oldest first',
  options: [OF_MERCHANT, limitOption(MOST_LISTED)],
  opens: 'database',
  async run(given, { database }) {
    const limit = Number(given.one('limit') ?? USUAL_LIMIT);
    const filter = { merchantId: given.one('merchant'), transactionIds: null };
    const waiting = await listWaiting(database, { ...filter, decision: 'undecided' }, limit);
    const unfinished = await listWaiting(database, { ...filter, decision: 'unfinished' }, limit);
    const ofSale = ['merchant', 'charge', 'reference', 'amount', 'card', 'at the acquirer', 'since', 'why'];
    const lines = [
      waiting.length === 0
        ? 'Nothing waits for a decision.'
        : table([...ofSale, 'as', 'not written'], waiting.map(cellsOf)),
      unfinished.length > 0 && [
        ...['', 'Finished by the services:'],
        ...table(ofSale, unfinished.map(cellsOfSale)),
      ],
    ];
    return { lines, json: { items: waiting.map(jsonOf), unfinished: unfinished.map(jsonOf) } };
  },
};

export const RESTORE_DECIDE: Command = {
  words: ['restore', 'decide'],
  summary: 'keep or void charges that restore reconcile could not decide',
  switches: [
    { name: 'all', description: `all that wait, up to ${MOST_LISTED} at once; with --merchant all of one` },
  ],
  options: [
    OF_MERCHANT,
    option('--charge ID', 'as restore list shows it; may be given several times', {
      isRepeatable: true,
      check: idCheck,
    }),
    required('--as DECISION', 'kept: put into the books; voided: taken back at the acquirer', {
      check: (value) =>
        PERSONS_DECISIONS.includes(value as PersonsDecision)
          ? null
          : `must be ${PERSONS_DECISIONS.join(' or ')}`,
    }),
    option('--account NUMBER', 'of what is kept of a merchant that has several'),
    reasonOption('who said so and where, for the audit log'),
  ],
  opens: 'audited',
  async run(given, tools) {
    const named = given.many('charge').map((id) => id.toLowerCase());
    if (named.length > 0 === given.has('all'))
      return { option: '--charge', message: 'name charges, or say --all' };
    const ofOther = await otherCell(tools);
    if (ofOther !== null) return refused(ofOther);
    const filter = {
      decision: 'undecided',
      merchantId: given.one('merchant'),
      transactionIds: given.has('all') ? null : named,
    } as const;
    const waiting = await listWaiting(tools.database, filter, MOST_LISTED);
    const missing = named.filter((id) => !waiting.some(({ transactionId }) => transactionId === id));
    if (missing.length > 0) return { option: '--charge', message: `${missing[0]} waits for no decision` };
    return withAcquirers(tools, async (acquirers): Promise<CommandOutcome> => {
      if (acquirers.all().length === 0) return refused(NO_ACQUIRER);
      const asked = {
        decision: given.one('as') as PersonsDecision,
        reason: (given.one('reason') ?? '').trim(),
        account: given.one('account'),
      };
      const deciding = {
        ...{ ...fillToolsOf(tools), audit: tools.audit, operator: tools.operator, acquirers },
        acquirerTimeoutMilliseconds: tools.acquirer.timeoutMilliseconds,
      };
      const refusals: { readonly transactionId: string; readonly refusal: string }[] = [];
      for (const one of waiting) {
        const result = await decideRestored(deciding, one, asked);
        if (result !== 'decided') refusals.push({ transactionId: one.transactionId, refusal: result });
      }
      const decided = waiting.length - refusals.length;
      return {
        isBad: refusals.length > 0,
        lines: [
          `${decided} decided as ${asked.decision}.`,
          ...refusals.map(({ transactionId, refusal }) => `${transactionId} ${visible(refusal)}`),
        ],
        json: { decided, as: asked.decision, refusals },
      };
    });
  },
};

function cellsOf(waiting: RestoredCharge): string[] {
  return [...cellsOfSale(waiting), ...[decisionsOn(waiting).join(', '), waiting.detail ?? '-'].map(visible)];
}

function cellsOfSale({ merchantId, transactionId, reason, charge }: RestoredCharge): string[] {
  const { merchantReference, amount, brand, firstSix, lastFour, state, authorizedAt } = charge;
  const card = `${brand} ${firstSix}…${lastFour}`;
  const sale = [
    transactionId,
    merchantReference ?? '-',
    reaisText(amount),
    card,
    state,
    utcText(authorizedAt),
  ];
  return [merchantId, ...sale, reason].map(visible);
}

function jsonOf({ merchantId, transactionId, reason, detail, charge, foundAt }: RestoredCharge): object {
  return { ...charge, merchantId, transactionId, reason, detail, foundAt };
}
