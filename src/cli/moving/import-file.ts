import { createReadStream } from 'node:fs';
import type { MerchantActor } from '../../audit/audit-event.ts';
import { type ImportCardsTools, importCards } from '../../cards/vault/import-cards.ts';
import { hasAccount } from '../../merchants/merchants.sql.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { ENDLESS, type Terms } from '../../recurrence/plans/plan.ts';
import type { CreateResult, NewPlan } from '../../recurrence/plans/plan-changes.sql.ts';
import { newTerms } from '../../recurrence/plans/plan-edit.ts';
import { findPlan } from '../../recurrence/plans/plans.sql.ts';
import { customerOf } from '../../recurrence/subscriptions/customer.ts';
import { SUBSCRIPTION_CREATION_REFUSALS } from '../../recurrence/subscriptions/endpoints.ts';
import { firstDayRefusal } from '../../recurrence/subscriptions/schedule.ts';
import {
  explainEnrolments,
  type NewSubscription,
  type SubscriptionCreationResult,
} from '../../recurrence/subscriptions/subscription-creation.sql.ts';
import type { Day } from '../../values/instant.ts';
import { saoPauloDay } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import { type MovingRow, type MovingSubscription, type RowFault, readMovingRow } from './moving-row.ts';

export type ImportTools = ImportCardsTools & {
  readonly clock: BusinessClock;
  readonly actor: MerchantActor;
  /** The account of what names none. */
  readonly accountNumber: string;
  readonly isTrial: boolean;
  readonly writePlan: BatchedWrite<NewPlan, CreateResult>;
  readonly writeSubscription: BatchedWrite<NewSubscription, SubscriptionCreationResult>;
  readonly report: (line: string) => void;
};

type Outcome = 'taken' | 'known' | 'refused';
export type Counts = Record<Outcome, number>;

export type ImportReport = {
  readonly lines: number;
  readonly plan: Counts;
  readonly card: Counts;
  readonly subscription: Counts;
  /** Of lines that cannot be read. */
  readonly unread: number;
  /** What subscriptions of the file owe next, by plan and day. */
  readonly due: readonly { planId: string; dueOn: Day; count: number; cents: number }[];
};

type Numbered<Row> = { readonly line: number; readonly row: Row };

const LINES_AT_ONCE = 500;
const LINES_PER_REPORT = 10_000;
/** As the largest body of a request. */
const LONGEST_LINE = 64 * 1024;
const WRITE_MILLISECONDS = 60_000;

/** Takes a file in order, some hundred lines at once. Begun again, it goes on: what is there is known. */
export async function importFile(tools: ImportTools, path: string): Promise<ImportReport> {
  const run = new ImportRun(tools);
  let lines: Numbered<Buffer | null>[] = [];
  let count = 0;
  for await (const bytes of linesOf(path)) {
    count += 1;
    lines.push({ line: count, row: bytes });
    if (lines.length < LINES_AT_ONCE) continue;
    await run.take(lines);
    lines = [];
    if (count % LINES_PER_REPORT === 0) tools.report(`${count} lines`);
  }
  await run.take(lines);
  return run.reported(count);
}

/** Null: a line that is too long. */
async function* linesOf(path: string): AsyncGenerator<Buffer | null> {
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  for await (const chunk of createReadStream(path)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield isTooLong ? null : Buffer.concat([rest, chunk.subarray(from, end)]);
      [rest, isTooLong, from] = [Buffer.alloc(0), false, end + 1];
    }
    if (!isTooLong) rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > LONGEST_LINE) [rest, isTooLong] = [Buffer.alloc(0), true];
  }
  if (isTooLong) yield null;
  else if (rest.length > 0) yield rest;
}

const noCounts = (): Counts => ({ taken: 0, known: 0, refused: 0 });

class ImportRun {
  readonly #tools: ImportTools;
  readonly #counts = { plan: noCounts(), card: noCounts(), subscription: noCounts() };
  #unread = 0;
  /** What a trial would have written. */
  readonly #tried = { plan: new Set<string>(), card: new Set<string>(), subscription: new Set<string>() };
  readonly #terms = new Map<string, Terms | null>();
  readonly #accounts = new Map<string, boolean>();
  readonly #due = new Map<string, { planId: string; dueOn: Day; count: number; cents: number }>();

  constructor(tools: ImportTools) {
    this.#tools = tools;
  }

  reported(lines: number): ImportReport {
    const due = [...this.#due.values()].toSorted((one, other) =>
      one.dueOn === other.dueOn ? (one.planId < other.planId ? -1 : 1) : one.dueOn < other.dueOn ? -1 : 1,
    );
    return { lines, ...this.#counts, unread: this.#unread, due };
  }

  async take(lines: readonly Numbered<Buffer | null>[]): Promise<void> {
    const rows: Numbered<MovingRow>[] = [];
    for (const { line, row: bytes } of lines) {
      if (bytes !== null && bytes.length === 0) continue;
      const row =
        bytes === null
          ? [{ tag: '', text: `Longer than ${LONGEST_LINE} bytes.` }]
          : readMovingRow(bytes, this.#tools.actor.merchantId);
      if ('kind' in row) rows.push({ line, row });
      else {
        this.#unread += 1;
        this.#tell(line, row);
      }
    }
    for (const { line, row } of rows) if (row.kind === 'plan') await this.#takePlan(line, row);
    await this.#takeCards(rows);
    await this.#takeSubscriptions(rows);
  }

  #tell(line: number, faults: readonly RowFault[]): void {
    for (const { tag, text } of faults)
      this.#tools.report(`line ${line}: ${tag === '' ? '' : `${tag}: `}${text}`);
  }

  #count(kind: MovingRow['kind'], line: number, id: string, outcome: Outcome | readonly RowFault[]): void {
    if (typeof outcome !== 'string') this.#tell(line, outcome);
    this.#counts[kind][typeof outcome === 'string' ? outcome : 'refused'] += 1;
    if (this.#tools.isTrial && outcome === 'taken') this.#tried[kind].add(id);
  }

  async #takePlan(line: number, { planId, wanted }: Extract<MovingRow, { kind: 'plan' }>): Promise<void> {
    const { actor, clock, isTrial, writePlan } = this.#tools;
    const { merchantId, userName: by } = actor;
    if ((await this.#termsOf(planId)) !== null) return this.#count('plan', line, planId, 'known');
    const terms = newTerms(wanted);
    const { name, description, softDescriptor = null } = wanted;
    const created = { by, at: clock.now(merchantId) };
    const plan = { merchantId, planId, name, description, softDescriptor, terms, state: 'active' as const };
    const row = { plan: { ...plan, created, modified: null }, planner: actor, request: null };
    if (!isTrial) await writePlan(row, performance.now() + WRITE_MILLISECONDS);
    this.#terms.set(planId, terms);
    this.#count('plan', line, planId, 'taken');
  }

  async #termsOf(planId: string): Promise<Terms | null> {
    const known = this.#terms.get(planId);
    if (known !== undefined && known !== null) return known;
    const plan = await findPlan(this.#tools.database, this.#tools.actor.merchantId, planId);
    if (plan !== null) this.#terms.set(planId, plan.terms);
    return plan?.terms ?? null;
  }

  async #takeCards(rows: readonly Numbered<MovingRow>[]): Promise<void> {
    const cards = rows.flatMap(({ line, row }) => (row.kind === 'card' ? [{ line, card: row.card }] : []));
    if (cards.length === 0) return;
    const { actor, isTrial } = this.#tools;
    const wanted = cards.map(({ card }) => card);
    const results = await importCards(this.#tools, actor, wanted, isTrial);
    for (const [index, { line, card }] of cards.entries()) {
      const result = this.#tried.card.has(card.vaultId) ? 'known' : results[index];
      this.#count('card', line, card.vaultId, result as NonNullable<typeof result>);
    }
  }

  async #takeSubscriptions(rows: readonly Numbered<MovingRow>[]): Promise<void> {
    const wanted: (Numbered<NewSubscription> & { readonly terms: Terms | null })[] = [];
    const seen = new Set<string>();
    for (const { line, row } of rows) {
      if (row.kind !== 'subscription') continue;
      const { subscription } = row;
      const { subscriptionId } = subscription;
      const terms = await this.#termsOf(subscription.planId);
      const faults = await this.#faultsOf(subscription, terms);
      if (faults.length > 0) this.#count('subscription', line, subscriptionId, faults);
      else if (seen.has(subscriptionId) || this.#tried.subscription.has(subscriptionId))
        this.#count('subscription', line, subscriptionId, 'known');
      else wanted.push({ line, row: this.#newSubscription(subscription), terms });
      seen.add(subscriptionId);
    }
    if (wanted.length === 0) return;
    const before = await explainEnrolments(
      this.#tools.database,
      wanted.map(({ row }) => row),
    );
    await Promise.all(
      wanted.map(async ({ line, row, terms }) => {
        const outcome = await this.#enrol(row, before.get(row.subscriptionId));
        this.#count('subscription', line, row.subscriptionId, outcome);
        if (typeof outcome === 'string' && terms !== null) this.#owe(row, terms);
      }),
    );
  }

  async #enrol(
    row: NewSubscription,
    before: SubscriptionCreationResult | symbol | undefined,
  ): Promise<Outcome | readonly RowFault[]> {
    const { isTrial, writeSubscription } = this.#tools;
    if (before === 'created') return 'known';
    if (isTrial) {
      const refusals = (Array.isArray(before) ? before : []).filter(
        (refusal) =>
          !(refusal === 'unknownPlan' && this.#tried.plan.has(row.planId)) &&
          !(refusal === 'unknownCard' && this.#tried.card.has(row.vaultId)),
      );
      return refusals.length === 0 ? 'taken' : refusals.map(refusalFault);
    }
    const result = await writeSubscription(row, performance.now() + WRITE_MILLISECONDS);
    if (result === 'created') return 'taken';
    if (result === 'keyUsed') throw new Error('a line of a file has no key');
    return result.map(refusalFault);
  }

  #owe({ planId, firstDueOn }: NewSubscription, terms: Terms): void {
    const dueOn = firstDueOn as Day;
    const key = `${dueOn}|${planId}`;
    const due = this.#due.get(key) ?? { planId, dueOn, count: 0, cents: 0 };
    due.count += 1;
    due.cents += centsOfPlanAmount(terms.amount);
    this.#due.set(key, due);
  }

  async #faultsOf(
    { firstDueOn, installmentsPaid, accountNumber }: MovingSubscription,
    terms: Terms | null,
  ): Promise<readonly RowFault[]> {
    const { clock, actor } = this.#tools;
    const faults: RowFault[] = [];
    const refusal = firstDayRefusal(firstDueOn as Day, saoPauloDay(clock.now(actor.merchantId)));
    if (refusal !== null) faults.push(refusalFault(refusal));
    const most = terms?.installments ?? ENDLESS;
    if (most !== ENDLESS && installmentsPaid >= most)
      faults.push({ tag: 'installmentsPaid', text: `The plan has ${most} installments: none is left.` });
    if (accountNumber !== null && !(await this.#hasAccount(accountNumber)))
      faults.push({ tag: 'accountNumber', text: 'The merchant has no such account.' });
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
    const { subscriptionId, planId, vaultId, orderNumber, firstDueOn, installmentsPaid } = wanted;
    return {
      ...{ merchantId: actor.merchantId, subscriptionId, billingId: newId(), planId, vaultId, orderNumber },
      firstDueOn: firstDueOn as Day,
      installmentsPaid,
      customer: customerOf(wanted.customer),
      accountNumber: wanted.accountNumber ?? this.#tools.accountNumber,
      createdBy: actor.userName,
      createdAt: clock.now(actor.merchantId),
      request: null,
    };
  }
}

function refusalFault(refusal: keyof typeof SUBSCRIPTION_CREATION_REFUSALS): RowFault {
  const { tag, sentence } = SUBSCRIPTION_CREATION_REFUSALS[refusal];
  return { tag, text: sentence.en };
}
