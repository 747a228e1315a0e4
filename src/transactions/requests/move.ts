/** A bill that a provider is asked about, a boleto or a Pix, in the terms of its method. */
export type MoveRow<Held, Move> = {
  readonly merchantId: string;
  /** Gets the locked row. Null: nothing changes. */
  readonly decide: (held: Held) => Move | null;
  /** How long this process may ask the provider before the resolving work does; 0: that work asks at once. */
  readonly leaseMilliseconds: number;
  /** Set if the bill ends as if it had never been requested: its request's key is freed. */
  readonly keyToFree?: Buffer | null;
};

/** The row as it stands now. `isMoved`: this write changed it. Null: there is no such row. */
export type Moved<Held> = { readonly held: Held; readonly isMoved: boolean } | null;

/** A clear answer of the provider, as the change that it makes. */
export type ProviderChanged<Change, Warning> = {
  readonly kind: 'changed';
  readonly change: Change;
  readonly warning: Warning | null;
};
