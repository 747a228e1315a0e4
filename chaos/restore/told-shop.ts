import { until } from '../../test/kit/service.ts';
import type { Cluster } from '../../test/restored/clusters.ts';
import type { Chance } from '../chance.ts';
import { wait } from '../operations/operation.ts';
import type { LedgerCharge } from './of-restore.ts';

const KINDS = ['subscription', 'plan', 'billing', 'card', 'left'] as const;
const OF_EACH = 3;
const RECURRENCES = '/v1/recurrences';
const END_MILLISECONDS = 120_000;

/** Throws when it is not answered 200. */
export type AskShop = (path: string, body: object) => Promise<unknown>;

/** A subscription that owes nothing before its trial is over, and what becomes of it in the lost time. */
type Told = {
  readonly kind: (typeof KINDS)[number];
  readonly planId: string;
  readonly subscriptionId: string;
  readonly billingId: string;
  /** A second stored card. */
  readonly otherCard: string;
  /** Null: it was not asked for; else whether it was answered 200. */
  isTold: boolean | null;
};

/** A merchant who cancels subscriptions, plans and billings, replaces cards, and is told that it is done. */
export class ToldShop {
  readonly #told: Told[] = [];
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Each with a plan of its own, so that its end concerns no other. */
  async enroll(ask: AskShop, storeCard: () => Promise<string>, lost: Cluster): Promise<void> {
    const plan = { name: 'Clube', description: 'Um livro por mês', amount: 61, planType: 'Monthly' };
    for (const kind of KINDS)
      for (let count = 0; count < OF_EACH; count += 1) {
        const terms = { ...plan, trialDays: 20, paymentMethod: 'CreditCard' };
        const planId = (await ask(`${RECURRENCES}/plans`, terms)) as string;
        const enrolment = { planId, vaultId: await storeCard(), orderNumber: `T-${this.#told.length}` };
        const subscriptionId = (await ask(`${RECURRENCES}/subscriptions`, enrolment)) as string;
        const [billing] = await lost.sql(
          `select billing_id from billings where subscription_id = '${subscriptionId}'`,
        );
        const billingId = billing?.billing_id as string;
        const otherCard = await storeCard();
        this.#told.push({ kind, planId, subscriptionId, billingId, otherCard, isTold: null });
      }
  }

  /** One after another in no order, over so long; what the kill cuts off was not told. */
  async change(ask: AskShop, milliseconds: number): Promise<void> {
    const wanted = this.#told.filter(({ kind }) => kind !== 'left');
    for (let left = wanted.length; left > 0; left -= 1) {
      const [one] = wanted.splice(this.#chance.whole(0, left - 1), 1) as [Told];
      await wait(milliseconds / (KINDS.length * OF_EACH));
      one.isTold = await this.#changeOne(ask, one).then(
        () => true,
        () => false,
      );
    }
  }

  #changeOne(ask: AskShop, { kind, planId, subscriptionId, billingId, otherCard }: Told): Promise<unknown> {
    const canceled = { status: 'Canceled' };
    if (kind === 'plan') return ask(`${RECURRENCES}/plans/${planId}/status`, canceled);
    if (kind === 'billing') return ask(`${RECURRENCES}/billing/${billingId}/cancel`, {});
    const path = `${RECURRENCES}/subscriptions/${subscriptionId}`;
    return kind === 'card' ? ask(`${path}/vault`, { vaultId: otherCard }) : ask(`${path}/status`, canceled);
  }

  /** All of them are due; ends when what is owed was charged. */
  async comeDue(recovered: Cluster): Promise<void> {
    const all = this.#told.map(({ billingId }) => `'${billingId}'`).join();
    await recovered.sql(`update billings set due_on = now()::date - 1, charge_on = now()::date - 1
      where state = 'opened' and billing_id in (${all})`);
    const waiting = `select from billings b join subscriptions s using (merchant_id, subscription_id)
      join plans p using (merchant_id, plan_id)
      where b.state = 'opened' and b.billing_id in (${all}) and p.state <> 'canceled'`;
    await until(
      'what is due is charged',
      async () => (await recovered.sql(waiting)).length === 0,
      END_MILLISECONDS,
    );
  }

  /** What was told holds. */
  async judge(recovered: Cluster, ledger: readonly LedgerCharge[]): Promise<string[]> {
    const paidWith = new Map(
      (await recovered.sql('select transaction_id as id, vault_id from transactions')).map((row) => [
        row.id as string,
        row.vault_id as string | null,
      ]),
    );
    return this.#told.flatMap(({ kind, billingId, otherCard, isTold }) => {
      const charge = ledger.find(({ reference, status }) => reference === billingId && status === 'approved');
      if (kind === 'left') return charge === undefined ? [`owed, and not charged: ${billingId}`] : [];
      if (isTold !== true) return [];
      if (kind === 'card')
        return charge !== undefined && paidWith.get(charge.paymentId) === otherCard
          ? []
          : [`its card was replaced, and another one is charged: ${billingId}`];
      return charge === undefined ? [] : [`canceled (${kind}), and charged: ${billingId}`];
    });
  }

  get lines(): string[] {
    const told = this.#told.filter(({ isTold }) => isTold === true).length;
    return [
      `${told} cancels of subscriptions, plans and billings and changes of cards were told in the lost time`,
    ];
  }
}
