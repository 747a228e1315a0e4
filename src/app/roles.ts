import type { ClockedKind } from '../platform/work/due-work.ts';

/** What a process is there for; one without any other setting has all. */
export const ROLES = ['http', 'charging', 'webhooks', 'resolving', 'reconciliation'] as const;
export type Role = (typeof ROLES)[number];

/** `own`: what a process needs for itself, and keys, whose rotation no process may miss. */
const OWN = 'own';

/** Which processes run a work; what requests leave behind is tidied up by those that take them. */
const ROLE_OF_WORK: Readonly<Record<string, Role | typeof OWN> & Record<ClockedKind, Role>> = {
  followDatabaseTime: OWN,
  followClocks: OWN,
  followFees: OWN,
  followProviders: OWN,
  followDataKeys: OWN,
  finishResealing: OWN,
  finishKeyRotations: OWN,
  refreshCapabilities: OWN,
  checkAuditTail: OWN,
  lookAtDatabase: OWN,
  reportProcess: OWN,
  moveClocks: OWN,
  followKeyPairs: 'http',
  deleteRetiredPairs: 'http',
  forgetExpiredLocks: 'http',
  forgetExpiredCards: 'http',
  forgetExpiredAccess: 'http',
  forgetExpiredSessions: 'http',
  forgetOldActions: 'http',
  forgetOldRequests: 'http',
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
  countDueBillings: 'charging',
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
  reportTruth: 'reconciliation',
  countRuns: 'reconciliation',
  finishRestored: 'reconciliation',
  countRestored: 'reconciliation',
  // In homologation, in a jump of a clock: what falls due for another role is left to its processes.
  changes: 'resolving',
  preauthorizations: 'resolving',
  boletos: 'resolving',
  billings: 'charging',
  notices: 'charging',
  deliveries: 'webhooks',
};

/** Throws for a work that has no role: in every process it would be forgotten. */
export function isRunBy(roles: readonly Role[], { name }: { readonly name: string }): boolean {
  const role = ROLE_OF_WORK[name];
  if (role === undefined) throw new Error(`the work ${name} has no role: src/app/roles.ts`);
  return role === OWN || roles.includes(role);
}

/** The roles as a setting names them, or the sentence that says what is wrong with it. */
export function readRoles(text: string): readonly Role[] | string {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const unknown = words.filter((word) => !ROLES.includes(word as Role));
  if (unknown.length > 0) return `must be some of ${ROLES.join(', ')}, not "${unknown.join('", "')}"`;
  return words.length === 0 ? 'names no role' : ROLES.filter((role) => words.includes(role));
}
