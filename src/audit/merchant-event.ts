import type { AuditAction, AuditDetail, AuditEvent } from './audit-event.ts';

/** A credential of a merchant that does something, and from where. */
export type MerchantActor = {
  readonly merchantId: string;
  readonly userName: string;
  readonly address: string;
};

/** Something that was done to a thing of a merchant, named by its path below the merchant: `plans/0199…`. */
export function merchantEvent(
  action: AuditAction,
  { merchantId, userName, address }: MerchantActor,
  thing: string,
  detail: AuditDetail,
): AuditEvent {
  const resource = `merchants/${merchantId}/${thing}`;
  return { action, outcome: 'success', actor: userName, origin: address, resource, detail };
}

/** What differs, as it was and as it is: `{ 'state.old': 'active', 'state.new': 'canceled' }`. */
export function changedFields(before: AuditDetail, after: AuditDetail): AuditDetail {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  const sides = changed.flatMap((name) => [
    [`${name}.old`, before[name]],
    [`${name}.new`, after[name]],
  ]);
  return Object.fromEntries(sides.filter(([, value]) => value !== undefined));
}
