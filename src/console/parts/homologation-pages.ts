import type { Contract } from '../../platform/http/endpoint.ts';
import type { TransactionMovement } from '../../transactions/movements/movement.ts';
import type { Action, Happenings, Screen } from './screen.ts';

export type TestTools = {
  /** Null if this process does not serve it, as for homologation endpoints in production. */
  readonly contractOf: (id: string) => Contract | null;
  /** Its path; null: it is not served. */
  readonly demoShop: string | null;
  readonly findMovements: (merchantId: string, paymentId: string) => Promise<readonly TransactionMovement[]>;
};

/** What homologation adds to the console. Production loads none of it. */
export type HomologationPages = {
  readonly screens: readonly Screen<TestTools>[];
  readonly actions: readonly Action<TestTools>[];
  /** The Portuguese of their texts. */
  readonly texts: Readonly<Record<string, string>>;
  readonly happenings: Happenings;
};
