import { bareDocument, documentKind } from '../../values/document-number.ts';
import { maskedDocument } from '../../values/masked-person.ts';

/** Whoever bought, as a payment, a boleto, a Pix or a subscription names him. */
export type Buyer = {
  readonly name: string | null;
  /** CPF or CNPJ without mask, letters upper case. Null: it is neither, so it tells nobody from others. */
  readonly document: string | null;
  /** The document as it was given. */
  readonly writtenDocument: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
};

/** Fields of the address of a boleto's payer, in the order in which they are written. */
const ADDRESS_FIELDS = ['street', 'number', 'complement', 'district', 'city', 'state', 'zipCode'];

function textOf(value: unknown, field: string): string | null {
  const text = Object(value)[field];
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** Reads a customer or a payer: their fields are named alike. Null: nobody is named. */
export function buyerOf(named: unknown): Buyer | null {
  const text = (field: string) => textOf(named, field);
  const joined = (between: string, ...parts: readonly (string | null)[]) =>
    parts.filter((part) => part !== null).join(between) || null;
  const { address } = Object(named);
  const writtenDocument = text('documentNumber');
  const bare = bareDocument(writtenDocument ?? '');
  const name = text('name') ?? joined(' ', text('firstName'), text('lastName'));
  const buyer: Buyer = {
    // The legal name of who trades alone (MEI) ends with his CPF.
    name: name?.replaceAll(/(?<!\d)\d{11}(?!\d)/g, maskedDocument) ?? null,
    document: documentKind(bare) === null ? null : bare,
    writtenDocument,
    email: text('email'),
    phone: joined(', ', text('phone'), text('mobilePhoneNumber'), text('phoneNumber')),
    address:
      typeof address === 'object' && address !== null
        ? joined(', ', ...ADDRESS_FIELDS.map((field) => textOf(address, field)))
        : joined(', ', text('address'), text('complement'), text('city'), text('state'), text('zipCode')),
  };
  return Object.values(buyer).some((value) => value !== null) ? buyer : null;
}
