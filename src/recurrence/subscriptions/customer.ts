/** Whom a subscription is for, as its merchant described it: at least one of the fields is there. */
export type Customer = {
  readonly name?: string;
  readonly email?: string;
  /** CPF or CNPJ without mask. */
  readonly documentNumber?: string;
  readonly phone?: string;
};

const CUSTOMER_FIELDS = ['name', 'email', 'documentNumber', 'phone'] as const satisfies (keyof Customer)[];

/** These fields alone, whatever else a value holds; null: none of them is there. */
export function customerOf(described: Customer | null | undefined): Customer | null {
  const given = CUSTOMER_FIELDS.flatMap((field) => {
    const text = described?.[field];
    return text === undefined || text === null ? [] : [[field, text] as const];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** As it is kept. */
export function readCustomer(value: unknown): Customer | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The names of the fields that differ: what stood in them, and stands now, is a person's. */
export function changedCustomerFields(before: Customer | null, after: Customer | null): string {
  return CUSTOMER_FIELDS.filter((field) => before?.[field] !== after?.[field]).join(', ');
}
