/** Whoever bought, as a payment, a boleto, a Pix or a subscription names him. */
export type Buyer = {
  readonly name: string | null;
  /** CPF or CNPJ without mask, letters upper case. */
  readonly document: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
};

/** Of a customer or a payer, whose fields are named alike. Null: it names nobody. */
export function buyerOf(named: unknown): Buyer | null {
  const text = (name: string): string | null => {
    const value = Object(named)[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const joined = (between: string, ...parts: readonly (string | null)[]) =>
    parts.filter((part) => part !== null).join(between) || null;
  const street = Object(named).address;
  const buyer: Buyer = {
    name: text('name') ?? joined(' ', text('firstName'), text('lastName')),
    document:
      text('documentNumber')
        ?.replaceAll(/[^0-9A-Za-z]/g, '')
        .toUpperCase() ?? null,
    email: text('email'),
    phone: joined(', ', text('phone'), text('mobilePhoneNumber'), text('phoneNumber')),
    address:
      typeof street === 'object'
        ? null
        : joined(', ', text('address'), text('complement'), text('city'), text('state'), text('zipCode')),
  };
  return Object.values(buyer).some((value) => value !== null) ? buyer : null;
}
