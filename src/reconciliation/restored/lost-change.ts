import type { AuditAction } from '../../audit/audit-event.ts';
import type { ShippedLine } from '../../audit/shipped-line.ts';
import type { Standing } from '../../merchants/merchant.ts';
import { PLAN_STATES, type PlanState } from '../../recurrence/plans/plan.ts';
import { SUBSCRIBER } from '../../recurrence/subscriber-pages/subscriber-page.ts';
import { isUuid } from '../../values/ids.ts';

type OfMerchant = { readonly merchantId: string };

export type RedoableChange = OfMerchant &
  (
    | {
        readonly kind: 'subscription';
        readonly id: string;
        readonly state: 'active' | 'canceled';
        /** Made at the subscriber's page. */
        readonly isBySubscriber: boolean;
      }
    | { readonly kind: 'card'; readonly id: string; readonly vaultId: string }
    | { readonly kind: 'plan'; readonly id: string; readonly state: PlanState }
    | { readonly kind: 'billing'; readonly id: string }
    | { readonly kind: 'standing'; readonly standing: Standing; readonly isOn: boolean }
  );

/** `byHand`: the line does not tell enough, or somebody must check first. */
export type LostChange = RedoableChange | { readonly kind: 'byHand'; readonly why: string };

const STANDINGS: Readonly<Record<string, { readonly standing: Standing; readonly isOn: boolean }>> = {
  'merchant.disable': { standing: 'disabled', isOn: true },
  'merchant.enable': { standing: 'disabled', isOn: false },
  'billing.hold': { standing: 'billingsHeld', isOn: true },
};

const KEY_ROTATE = 'the key of before is in use here again: parcela key rotate';
const ITS_MERCHANT = 'its merchant does it again';
/** Reads, logins and what files bring again are not among them. */
const BY_HAND: Readonly<Partial<Record<AuditAction, string>>> = {
  'billing.release': 'a hold by hand from before is here again: parcela billing release',
  'plan.create': ITS_MERCHANT,
  'subscription.page': ITS_MERCHANT,
  'cardFields.change': 'the origins of before are here again: parcela fields set',
  'card.store': ITS_MERCHANT,
  'card.delete': `the card is here again: ${ITS_MERCHANT}`,
  'notifier.register': ITS_MERCHANT,
  'notifier.change': ITS_MERCHANT,
  'exceptionNotifier.register': ITS_MERCHANT,
  'exceptionNotifier.remove': ITS_MERCHANT,
  'webhook.register': ITS_MERCHANT,
  'webhook.remove': ITS_MERCHANT,
  'secret.create': ITS_MERCHANT,
  'merchant.import': 'parcela import, with the same file',
  'merchant.create': 'parcela merchant create',
  'merchant.change': 'parcela merchant change',
  'account.add': 'parcela account add',
  'credential.create': 'parcela credential create',
  'credential.disable': 'it works here again: parcela credential disable',
  'credential.rotate': 'the password of before works here again: parcela credential rotate',
  'token.revoke': 'the token works here again until its hour is over: parcela token revoke',
  'fees.change': 'parcela fees set',
  'provider.add': 'parcela provider add',
  'provider.change': 'parcela provider change',
  'provider.enable': 'parcela provider enable',
  'provider.disable': 'it gets new charges here again: parcela provider disable',
  'provider.route': 'the rules of before are here again: parcela provider route',
  'resolve.decide': 'parcela resolve decide',
  'privacy.erase': 'the data are here again: parcela privacy erase',
  'user.invite': 'parcela user invite',
  'user.change': 'the roles of before are here again',
  'user.recover': 'parcela user recover',
  'user.disable': 'the user is let in here again: parcela user disable',
  'reconciliation.resolve': 'the exception is open here again',
};

export function lostChange({
  action,
  outcome,
  actor,
  resource,
  changed,
  alsoChanged,
}: ShippedLine): LostChange | null {
  if (outcome !== 'success') return null;
  const [, merchantId = '', thing, written = ''] = resource.split('/');
  const id = written.toLowerCase();
  const standing = STANDINGS[action];
  if (standing !== undefined) return { kind: 'standing', merchantId, ...standing };
  if (action === 'billing.cancel' && isUuid(id)) return { kind: 'billing', merchantId, id };
  if (action === 'plan.change' && thing === 'plans') {
    const state = PLAN_STATES.find((one) => one === changed['state.new']);
    if (state !== undefined && isUuid(id)) return { kind: 'plan', merchantId, id, state };
    return { kind: 'byHand', why: `${alsoChanged.join(', ')}: ${ITS_MERCHANT}` };
  }
  if (action === 'subscription.change') {
    const { 'state.new': state, 'vaultId.new': vaultId } = changed;
    if ((state === 'active' || state === 'canceled') && isUuid(id))
      return { kind: 'subscription', merchantId, id, state, isBySubscriber: actor === SUBSCRIBER };
    if (typeof vaultId === 'string' && isUuid(vaultId) && isUuid(id))
      return { kind: 'card', merchantId, id, vaultId: vaultId.toLowerCase() };
    return { kind: 'byHand', why: `${alsoChanged.join(', ')}: ${ITS_MERCHANT}` };
  }
  // The service rotates again by itself.
  if (action === 'key.rotate' && actor !== 'system') return { kind: 'byHand', why: KEY_ROTATE };
  const why = BY_HAND[action as AuditAction];
  return why === undefined ? null : { kind: 'byHand', why };
}

/** In the words of the object's changes; null: it does not exist. */
export type PresentState = string | null;

export function stateAfter(change: RedoableChange): string {
  switch (change.kind) {
    case 'subscription':
    case 'plan':
      return change.state;
    case 'card':
      return change.vaultId;
    case 'billing':
      return 'canceled';
    case 'standing':
      return change.isOn ? 'on' : 'off';
  }
}

export function thingOf(change: RedoableChange): string {
  const { kind, merchantId } = change;
  return kind === 'standing' ? `${change.standing}|${merchantId}` : `${kind}|${merchantId}|${change.id}`;
}

/** Both ends included. */
export type NumberRange = { readonly from: number; readonly to: number };

/** Numbers after `head` that are not among `numbers`, up to the last of these. */
export function missingNumbers(head: number, numbers: readonly number[]): NumberRange[] {
  const missing: NumberRange[] = [];
  let last = head;
  for (const number of numbers.toSorted((a, b) => a - b)) {
    if (number > last + 1) missing.push({ from: last + 1, to: number - 1 });
    last = Math.max(last, number);
  }
  return missing;
}

/** `12, 15-17` */
export function rangesText(ranges: readonly NumberRange[]): string {
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}
