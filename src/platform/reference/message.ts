import type { TObject } from 'typebox';

/** What the service sends to a merchant's address by itself. */
export type MessageContract = {
  /** Unique among messages and operations, in camelCase. */
  readonly id: string;
  readonly group: string;
  readonly summary: string;
  readonly description: string;
  readonly body: TObject;
  readonly example: unknown;
};
