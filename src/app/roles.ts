import type { Work } from '../platform/work/due-work.ts';

/** What a process is there for; one without any other setting has all. */
export const ROLES = ['http', 'charging', 'webhooks', 'resolving', 'reconciliation'] as const;
export type Role = (typeof ROLES)[number];

/** `own`: what a process needs for itself, and keys, whose rotation no process may miss. */
const OWN = 'own';

/** Which processes run a work; what requests leave behind is tidied up by those that take them. */
const ROLE_OF_WORK: Readonly<Record<string, Role | typeof OWN>> = {
  followDatabaseTime: OWN,
  followClocks: OWN,
  followFees: OWN,
  followDataKeys: OWN,
  finishResealing: OWN,
  finishKeyRotations: OWN,
  refreshCapabilities: OWN,
  // In homologation: a jump runs what falls due in it, but for charges where the role is not held.
  moveClocks: OWN,
  followKeyPairs: 'http',
  deleteRetiredPairs: 'http',
  forgetExpiredLocks: 'http',
  forgetExpiredCards: 'http',
  forgetExpiredAccess: 'http',
  forgetOldKeys: 'http',
  forgetAntiFraud: 'http',
  forgetDeclinedVerifications: 'http',
  forgetOldCustomers: 'http',
  forgetOldPayers: 'http',
  reportUnusedCredentials: 'http',
  chargeDueBillings: 'charging',
  finishOpenCharges: 'charging',
  processChargebacks: 'charging',
  endWithPlan: 'charging',
  alertDay: 'charging',
  forgetOldSubscribers: 'charging',
  deliverDue: 'webhooks',
  countDeliveries: 'webhooks',
  giveUpRemovedEndpoints: 'webhooks',
  giveUpStaleDeliveries: 'webhooks',
  forgetOldDeliveries: 'webhooks',
  forgetPreviousSecrets: 'webhooks',
  resolveUnresolvedCharges: 'resolving',
  resolveUnresolvedCancels: 'resolving',
  resolveUnresolvedCaptures: 'resolving',
  resolveUnresolvedBoletos: 'resolving',
  countUnresolved: 'resolving',
  countUnresolvedBoletos: 'resolving',
  expirePreauthorizations: 'resolving',
  advanceDueBoletos: 'resolving',
  pullChanges: 'resolving',
  applyChanges: 'resolving',
  pullBankChanges: 'resolving',
  applyBankChanges: 'resolving',
  followMovements: 'reconciliation',
  watchSettlementFolder: 'reconciliation',
  matchFiles: 'reconciliation',
  judgeExceptions: 'reconciliation',
  findMissingPayouts: 'reconciliation',
  countExceptions: 'reconciliation',
  openNights: 'reconciliation',
  verifyNights: 'reconciliation',
  countRuns: 'reconciliation',
};

/** Throws for a work that has no role: in every process it would be forgotten. */
export function worksOf(roles: readonly Role[], works: readonly Work[]): readonly Work[] {
  return works.filter(({ name }) => {
    const role = ROLE_OF_WORK[name];
    if (role === undefined) throw new Error(`the work ${name} has no role: src/app/roles.ts`);
    return role === OWN || roles.includes(role);
  });
}

/** The roles as a setting names them; what is no role is given to `onUnknown`. */
export function readRoles(text: string, onUnknown: (word: string) => void): readonly Role[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const isRole = (word: string): word is Role => ROLES.includes(word as Role);
  for (const word of words) if (!isRole(word)) onUnknown(word);
  return ROLES.filter((role) => words.includes(role));
}
