import type { Contract } from '../../platform/http/endpoint.ts';
import type { TransactionMovement } from '../../transactions/movements/movement.ts';
import type { Action, Happenings, Screen } from './screen.ts';

export type TestTools = {
  /**
   * The contract of an endpoint. Null if this process does not serve it, as production does not serve those
   * of homologation.
   */
  readonly contractOf: (id: string) => Contract | null;
  /** The path of the demo shop; null: it is not served. */
  readonly demoShop: string | null;
  readonly findMovements: (merchantId: string, paymentId: string) => Promise<readonly TransactionMovement[]>;
};

/** What homologation adds to the console. Production loads none of it. */
export type HomologationPages = {
  readonly screens: readonly Screen<TestTools>[];
  readonly actions: readonly Action<TestTools>[];
  /** The Portuguese of the texts of these pages. */
  readonly texts: Readonly<Record<string, string>>;
  readonly happenings: Happenings;
};
