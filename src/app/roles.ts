import type { ClockedKind } from '../platform/work/due-work.ts';

/** A process without the setting has all roles. */
export const ROLES = ['http', 'charging', 'webhooks', 'resolving', 'reconciliation'] as const;
export type Role = (typeof ROLES)[number];

/** `own`: needed by every process itself, such as the rotation of keys. */
const OWN = 'own';

/** The processes that run each work. Those that take requests clean up after them. */
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
  logCommandEntries: 'http',
  followKeyPairs: 'http',
  deleteRetiredPairs: 'http',
  forgetExpiredLocks: 'http',
  forgetExpiredCards: 'http',
  forgetExpiredAccess: 'http',
  forgetExpiredSessions: 'http',
  storeHealth: 'http',
  forgetOldActions: 'http',
  forgetOldRequests: 'http',
  forgetOldKeys: 'http',
  forgetAntiFraud: 'http',
  forgetDeclinedVerifications: 'http',
  forgetOldCustomers: 'http',
  forgetOldBuyers: 'http',
  forgetOldPayers: 'http',
  forgetOldPixPayers: 'http',
  reportUnusedCredentials: 'http',
  chargeDueBillings: 'charging',
  advanceAutomaticPix: 'charging',
  applyCollectedReceipts: 'charging',
  countUnansweredPix: 'charging',
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
  finishDueTries: 'resolving',
  resolveUnresolvedCancels: 'resolving',
  resolveUnresolvedCaptures: 'resolving',
  checkWatchedCharges: 'resolving',
  resolveUnresolvedBoletos: 'resolving',
  resolveUnresolvedPix: 'resolving',
  resolveUnresolvedPixRefunds: 'resolving',
  countUnresolved: 'resolving',
  countUnresolvedBoletos: 'resolving',
  countUnresolvedPix: 'resolving',
  expirePreauthorizations: 'resolving',
  advanceDueBoletos: 'resolving',
  advanceDuePix: 'resolving',
  pullChanges: 'resolving',
  applyChanges: 'resolving',
  pullBankChanges: 'resolving',
  applyBankChanges: 'resolving',
  pullPixReceipts: 'resolving',
  pullPixReturns: 'resolving',
  applyPixReceipts: 'resolving',
  followMovements: 'reconciliation',
  rememberBuyers: 'reconciliation',
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
  // Homologation: in a jump of a clock, other roles' due work is left to their processes.
  changes: 'resolving',
  preauthorizations: 'resolving',
  boletos: 'resolving',
  pix: 'resolving',
  billings: 'charging',
  notices: 'charging',
  deliveries: 'webhooks',
};

/** Throws for a work without a role, which no process would run. */
export function isRunBy(roles: readonly Role[], { name }: { readonly name: string }): boolean {
  const role = ROLE_OF_WORK[name];
  if (role === undefined) throw new Error(`the work ${name} has no role: src/app/roles.ts`);
  return role === OWN || roles.includes(role);
}

/** A text is the fault of the setting. */
export function readRoles(text: string): readonly Role[] | string {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  const unknown = words.filter((word) => !ROLES.includes(word as Role));
  if (unknown.length > 0) return `must be some of ${ROLES.join(', ')}, not "${unknown.join('", "')}"`;
  return words.length === 0 ? 'names no role' : ROLES.filter((role) => words.includes(role));
}
