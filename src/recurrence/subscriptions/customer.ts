/** A customer as the merchant described him; at least one field is set. */
export type Customer = {
  readonly name?: string;
  readonly email?: string;
  /** CPF or CNPJ, without mask. */
  readonly documentNumber?: string;
  readonly phone?: string;
};

const CUSTOMER_FIELDS = ['name', 'email', 'documentNumber', 'phone'] as const satisfies (keyof Customer)[];

/** null: no field is set. */
export function customerOf(described: Customer | null | undefined): Customer | null {
  const given = CUSTOMER_FIELDS.flatMap((field) => {
    const text = described?.[field];
    return text === undefined || text === null ? [] : [[field, text] as const];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

export function readCustomer(value: unknown): Customer | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The names of the changed fields. Their values are personal data. */
export function changedCustomerFields(before: Customer | null, after: Customer | null): string {
  return CUSTOMER_FIELDS.filter((field) => before?.[field] !== after?.[field]).join(', ');
}
