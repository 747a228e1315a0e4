import type { Actor, MerchantActor } from '../../audit/audit-event.ts';
import {
  type ImportCardsTools,
  type ImportedCardResult,
  importCards,
} from '../../cards/vault/import-cards.ts';
import type { NewMerchant } from '../../merchants/merchant.ts';
import { hasAccount } from '../../merchants/merchants.sql.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { RecurringTerms } from '../../providers/pix/recurring-pix.ts';
import { isEverInTime } from '../../recurrence/plans/pix-schedule.ts';
import { ENDLESS, type PlanState, type Terms } from '../../recurrence/plans/plan.ts';
import type { CreateResult, NewPlan } from '../../recurrence/plans/plan-changes.sql.ts';
import { isSameTerms, newTerms } from '../../recurrence/plans/plan-edit.ts';
import { findPlan } from '../../recurrence/plans/plans.sql.ts';
import { customerOf } from '../../recurrence/subscriptions/customer.ts';
import { findMovedSubscriptions } from '../../recurrence/subscriptions/moving-subscriptions.sql.ts';
import type { SubscriptionCreationRefusal } from '../../recurrence/subscriptions/subscription.ts';
import {
  explainEnrolments,
  type NewSubscription,
  type SubscriptionCreationResult,
} from '../../recurrence/subscriptions/subscription-creation.sql.ts';
import type { Day } from '../../values/instant.ts';
import { saoPauloDay } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { RegisteredWebhook } from '../../webhooks/endpoints/moving-webhooks.sql.ts';
import { visible } from '../command.ts';
import {
  type ImportWebhookTools,
  importMerchant,
  importWebhook,
  WRITE_MILLISECONDS,
} from './import-merchant.ts';
import { LONGEST_LINE, linesOf, type NumberedLine } from './lines-of-file.ts';
import {
  another,
  isOfMerchant,
  type MovingPlan,
  type MovingRow,
  type MovingSubscription,
  type MovingWebhook,
  ROW_KINDS,
  type RowFault,
  readMovingRow,
} from './moving-row.ts';
import {
  CANCELED_THERE,
  dayFaults,
  knownFaults,
  LEAD_TOO_LONG,
  MERCHANT_FIRST,
  refusalFault,
  UNKNOWN_ACCOUNT,
} from './row-faults.ts';

export type ImportTools = ImportCardsTools & {
  readonly clock: BusinessClock;
  readonly actor: MerchantActor;
  readonly operator: Actor;
  /** The account of lines that name none. Null: the file brings the merchant. */
  readonly accountNumber: string | null;
  readonly isTrial: boolean;
  readonly registry: ImportWebhookTools['registry'];
  readonly writePlan: BatchedWrite<NewPlan, CreateResult>;
  /** The terms of the merchant's banks of Pix. */
  readonly leads: readonly RecurringTerms[];
  readonly writeSubscription: BatchedWrite<NewSubscription, SubscriptionCreationResult>;
  readonly report: (line: string) => void;
};

type Outcome = 'taken' | 'known' | 'refused';
export type Counts = Record<Outcome, number>;

export type ImportReport = {
  readonly lines: number;
  readonly merchant: Counts;
  readonly webhook: Counts;
  readonly plan: Counts;
  readonly card: Counts;
  readonly subscription: Counts;
  /** Existing cards that lacked the network's reference of their first use. */
  readonly completed: number;
  /** How many lines cannot be read. */
  readonly unread: number;
  /** What subscriptions of the file owe next, by plan and day. */
  readonly due: readonly { planId: string; dueOn: Day; count: number; cents: number }[];
};

type Numbered<Row> = { readonly line: number; readonly row: Row };
type Owed = Pick<MovingSubscription, 'subscriptionId' | 'planId' | 'chargeOn'> & {
  readonly firstDueOn: string | null;
};
type KnownPlan = { readonly terms: Terms; readonly state: PlanState };

const LINES_AT_ONCE = 500;
const LINES_PER_REPORT = 10_000;
/** The creator shown to merchants; the audit log has the operator. */
const MADE_BY = 'system';

/** Takes a file in order, some hundred lines at once. Started again, it goes on: what exists is known. */
export async function importFile(tools: ImportTools, path: string): Promise<ImportReport> {
  const run = new ImportRun(tools);
  let lines: NumberedLine[] = [];
  let count = 0;
  let reported = 0;
  for await (const line of linesOf(path)) {
    count = line.line;
    lines.push(line);
    if (lines.length < LINES_AT_ONCE) continue;
    await run.take(lines);
    lines = [];
    if (run.isOver) break;
    if (count - reported < LINES_PER_REPORT) continue;
    reported = count;
    tools.report(`${count} lines`);
  }
  await run.take(lines);
  return run.reported(count);
}

const noCounts = (): Counts => ({ taken: 0, known: 0, refused: 0 });

function byKind<Value>(make: () => Value): Record<MovingRow['kind'], Value> {
  return Object.fromEntries(ROW_KINDS.map((kind) => [kind, make()])) as Record<MovingRow['kind'], Value>;
}

class ImportRun {
  readonly #tools: ImportTools;
  readonly #counts = byKind(noCounts);
  #unread = 0;
  #completed = 0;
  /** What this trial would have written, by id. */
  readonly #tried = byKind(() => new Set<string>());
  readonly #triedWebhooks = new Map<string, RegisteredWebhook>();
  #accountNumber: string | null;
  #isBegun = false;
  #isOver = false;
  readonly #plans = new Map<string, KnownPlan>();
  readonly #accounts = new Map<string, boolean>();
  readonly #due = new Map<string, { planId: string; dueOn: Day; count: number; cents: number }>();

  constructor(tools: ImportTools) {
    this.#tools = tools;
    this.#accountNumber = tools.accountNumber;
  }

  /** Nothing more is taken: lines after a refused merchant line may be of another merchant. */
  get isOver(): boolean {
    return this.#isOver;
  }

  reported(lines: number): ImportReport {
    const due = [...this.#due.values()].toSorted((one, other) =>
      one.dueOn === other.dueOn ? (one.planId < other.planId ? -1 : 1) : one.dueOn < other.dueOn ? -1 : 1,
    );
    return { lines, ...this.#counts, completed: this.#completed, unread: this.#unread, due };
  }

  async take(lines: readonly NumberedLine[]): Promise<void> {
    const rows: Numbered<MovingRow>[] = [];
    for (const { line, bytes } of lines) {
      const isFirst = !this.#isBegun;
      this.#isBegun = true;
      const row =
        bytes === null
          ? [{ tag: '', text: `Longer than ${LONGEST_LINE} bytes.` }]
          : readMovingRow(bytes, this.#tools.actor.merchantId);
      if (!('kind' in row)) {
        this.#unread += 1;
        this.#tell(line, row);
        this.#isOver = bytes === null ? isFirst : isOfMerchant(bytes);
      } else if (row.kind === 'merchant') await this.#takeMerchant(line, row.merchant, isFirst);
      else rows.push({ line, row });
      if (!this.#isOver) continue;
      this.#tools.report(`Nothing behind line ${line} was looked at.`);
      break;
    }
    for (const { line, row } of rows) if (row.kind === 'webhook') await this.#takeWebhook(line, row.webhook);
    for (const { line, row } of rows) if (row.kind === 'plan') await this.#takePlan(line, row.plan);
    await this.#takeCards(rows);
    await this.#takeSubscriptions(rows);
  }

  #tell(line: number, faults: readonly RowFault[]): void {
    for (const { tag, text } of faults)
      this.#tools.report(visible(`line ${line}: ${tag === '' ? '' : `${tag}: `}${text}`));
  }

  #count(kind: MovingRow['kind'], line: number, id: string, outcome: Outcome | readonly RowFault[]): void {
    if (typeof outcome !== 'string') this.#tell(line, outcome);
    this.#counts[kind][typeof outcome === 'string' ? outcome : 'refused'] += 1;
    if (this.#tools.isTrial && outcome === 'taken') this.#tried[kind].add(id);
  }

  async #takeMerchant(line: number, merchant: NewMerchant, isFirst: boolean): Promise<void> {
    const outcome = isFirst ? await importMerchant(this.#tools, merchant) : [MERCHANT_FIRST];
    this.#count('merchant', line, merchant.merchantId, outcome);
    this.#isOver = typeof outcome !== 'string';
    if (this.#isOver) return;
    this.#accountNumber ??= merchant.accountNumbers[0] ?? null;
    for (const number of merchant.accountNumbers) this.#accounts.set(number, true);
  }

  async #takeWebhook(line: number, webhook: MovingWebhook): Promise<void> {
    const accountNumber = webhook.accountNumber ?? (this.#accountNumber as string);
    const outcome = (await this.#hasAccount(accountNumber))
      ? await importWebhook(this.#tools, webhook, accountNumber, this.#triedWebhooks)
      : [UNKNOWN_ACCOUNT];
    this.#count('webhook', line, accountNumber, outcome);
  }

  async #takePlan(line: number, { planId, wanted, state }: MovingPlan): Promise<void> {
    const { actor, clock, isTrial, writePlan, leads } = this.#tools;
    const { merchantId } = actor;
    const terms = newTerms(wanted);
    const known = await this.#planOf(planId);
    if (known !== null) {
      if (!isSameTerms(known.terms, terms)) return this.#count('plan', line, planId, [another('plan', 'id')]);
      if (state !== 'canceled' || known.state === 'canceled')
        return this.#count('plan', line, planId, 'known');
      // Whether the file is older than an activation here is unknown: a person decides.
      this.#plans.set(planId, { terms, state });
      return this.#count('plan', line, planId, [CANCELED_THERE]);
    }
    if (!isEverInTime(terms, leads)) return this.#count('plan', line, planId, [LEAD_TOO_LONG]);
    const { name, description, softDescriptor = null } = wanted;
    const created = { by: MADE_BY, at: clock.now(merchantId) };
    const plan = { merchantId, planId, name, description, softDescriptor, terms, state };
    const row = { plan: { ...plan, created, modified: null }, planner: actor, request: null };
    if (!isTrial) await writePlan(row, performance.now() + WRITE_MILLISECONDS);
    this.#plans.set(planId, { terms, state });
    this.#count('plan', line, planId, 'taken');
  }

  async #planOf(planId: string): Promise<KnownPlan | null> {
    const known = this.#plans.get(planId);
    if (known !== undefined) return known;
    const plan = await findPlan(this.#tools.database, this.#tools.actor.merchantId, planId);
    if (plan !== null) this.#plans.set(planId, plan);
    return plan;
  }

  async #takeCards(rows: readonly Numbered<MovingRow>[]): Promise<void> {
    const cards = rows.flatMap(({ line, row }) => (row.kind === 'card' ? [{ line, card: row.card }] : []));
    if (cards.length === 0) return;
    const { actor, isTrial } = this.#tools;
    const wanted = cards.map(({ card }) => card);
    const results = await importCards(this.#tools, { ...actor, madeBy: MADE_BY }, wanted, isTrial);
    for (const [index, { line, card }] of cards.entries()) {
      const { outcome, notes } = results[index] as ImportedCardResult;
      this.#tell(line, notes);
      if (outcome === 'completed') this.#completed += 1;
      const isKnown = outcome === 'completed' || (outcome === 'taken' && this.#tried.card.has(card.vaultId));
      this.#count('card', line, card.vaultId, isKnown ? 'known' : outcome);
    }
  }

  /** An id that stands twice in the batch is looked up again after the first was taken. */
  async #takeSubscriptions(rows: readonly Numbered<MovingRow>[]): Promise<void> {
    let batch = new Map<string, Numbered<MovingSubscription>>();
    for (const { line, row } of rows) {
      if (row.kind !== 'subscription') continue;
      const { subscription } = row;
      if (batch.has(subscription.subscriptionId)) {
        await this.#takeBatch([...batch.values()]);
        batch = new Map();
      }
      batch.set(subscription.subscriptionId, { line, row: subscription });
    }
    if (batch.size > 0) await this.#takeBatch([...batch.values()]);
  }

  async #takeBatch(batch: readonly Numbered<MovingSubscription>[]): Promise<void> {
    const { database, actor } = this.#tools;
    const ids = batch.map(({ row }) => row.subscriptionId);
    const there = await findMovedSubscriptions(database, actor.merchantId, ids);
    const wanted: Numbered<NewSubscription>[] = [];
    for (const { line, row } of batch) {
      const { subscriptionId } = row;
      const known = there.get(subscriptionId);
      const isKnown = known !== undefined || this.#tried.subscription.has(subscriptionId);
      const faults = isKnown ? knownFaults(row, known) : await this.#faultsOf(row);
      if (faults.length > 0) this.#count('subscription', line, subscriptionId, faults);
      else if (isKnown) await this.#countOwed(line, row, 'known');
      else wanted.push({ line, row: this.#newSubscription(row) });
    }
    const refusals = await this.#refusalsOf(wanted.map(({ row }) => row));
    await Promise.all(
      wanted.map(async ({ line, row }) => {
        const outcome = await this.#enrol(row, refusals);
        if (outcome === 'taken') await this.#countOwed(line, row, outcome);
        else this.#count('subscription', line, row.subscriptionId, outcome);
      }),
    );
  }

  /** Why a trial would refuse these, with what it would have written before counted as there. Else empty. */
  async #refusalsOf(rows: readonly NewSubscription[]): Promise<ReadonlyMap<string, readonly RowFault[]>> {
    if (!this.#tools.isTrial) return new Map();
    const explained = await explainEnrolments(this.#tools.database, rows);
    return new Map(
      rows.map((row) => {
        const found = explained.get(row.subscriptionId);
        const refusals = (Array.isArray(found) ? found : []) as readonly SubscriptionCreationRefusal[];
        const isTriedPlan = this.#tried.plan.has(row.planId);
        const isTriedCard = this.#tried.card.has(row.vaultId);
        const faults = refusals
          .filter((one) => !(one === 'unknownPlan' && isTriedPlan) && !(one === 'unknownCard' && isTriedCard))
          .map(refusalFault);
        return [row.subscriptionId, faults];
      }),
    );
  }

  async #enrol(
    row: NewSubscription,
    refusals: ReadonlyMap<string, readonly RowFault[]>,
  ): Promise<'taken' | readonly RowFault[]> {
    const { isTrial, writeSubscription } = this.#tools;
    if (isTrial) {
      const faults = refusals.get(row.subscriptionId) ?? [];
      return faults.length === 0 ? 'taken' : faults;
    }
    const result = await writeSubscription(row, performance.now() + WRITE_MILLISECONDS);
    if (result === 'created') return 'taken';
    if (result === 'keyUsed') throw new Error('a line of a file has no key');
    return result.map(refusalFault);
  }

  async #countOwed(
    line: number,
    { subscriptionId, planId, firstDueOn, chargeOn }: Owed,
    outcome: 'taken' | 'known',
  ): Promise<void> {
    this.#count('subscription', line, subscriptionId, outcome);
    const plan = await this.#planOf(planId);
    const dueOn = (chargeOn ?? firstDueOn) as Day;
    const key = `${dueOn}|${planId}`;
    const due = this.#due.get(key) ?? { planId, dueOn, count: 0, cents: 0 };
    due.count += 1;
    due.cents += plan === null ? 0 : centsOfPlanAmount(plan.terms.amount);
    this.#due.set(key, due);
  }

  async #faultsOf(row: MovingSubscription): Promise<readonly RowFault[]> {
    const { clock, actor } = this.#tools;
    const { accountNumber, installmentsPaid } = row;
    const plan = await this.#planOf(row.planId);
    const faults = [...dayFaults(row, plan?.terms ?? null, saoPauloDay(clock.now(actor.merchantId)))];
    const most = plan?.terms.installments ?? ENDLESS;
    if (most !== ENDLESS && installmentsPaid >= most)
      faults.push({ tag: 'installmentsPaid', text: `The plan has ${most} installments: none is left.` });
    if (plan?.terms.paymentMethod === 'pixAutomatic') faults.push(refusalFault('cardNotTaken'));
    else if (plan?.state === 'canceled') faults.push(refusalFault('planNotActive'));
    if (accountNumber !== null && !(await this.#hasAccount(accountNumber))) faults.push(UNKNOWN_ACCOUNT);
    return faults;
  }

  async #hasAccount(accountNumber: string): Promise<boolean> {
    const known = this.#accounts.get(accountNumber);
    if (known !== undefined) return known;
    const { database, actor } = this.#tools;
    const isOwn = await hasAccount(database, actor.merchantId, accountNumber);
    this.#accounts.set(accountNumber, isOwn);
    return isOwn;
  }

  #newSubscription(wanted: MovingSubscription): NewSubscription {
    const { actor, clock } = this.#tools;
    const { subscriptionId, planId, vaultId, orderNumber, firstDueOn } = wanted;
    const { installmentsPaid, chargeOn, chargesMade } = wanted;
    return {
      ...{ merchantId: actor.merchantId, subscriptionId, billingId: newId(), planId, vaultId, orderNumber },
      firstDueOn: firstDueOn as Day,
      ...{ installmentsPaid, chargeOn, chargesMade },
      customer: customerOf(wanted.customer),
      accountNumber: wanted.accountNumber ?? (this.#accountNumber as string),
      isMoving: true,
      createdBy: MADE_BY,
      createdAt: clock.now(actor.merchantId),
      request: null,
    };
  }
}
