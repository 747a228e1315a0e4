import { type Static, Type } from 'typebox';
import type { Buyer } from '../antifraud/anti-fraud.ts';
import { named } from '../platform/http/named.ts';

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

export const BUYER_REQUEST = named('BuyerRequest', {
  documentType: Type.Optional(Type.Enum(['cpf', 'cnpj'])),
  documentNumber: Type.Optional(Type.String({ maxLength: 20, reads: 'document' })),
  firstName: text(60),
  lastName: text(60),
  email: Type.Optional(Type.String({ maxLength: 255, reads: 'emailAddress' })),
  phoneNumber: text(15),
  mobilePhoneNumber: text(25),
  address: text(60),
  complement: text(60),
  city: text(50),
  state: Type.Optional(Type.String({ maxLength: 2, reads: 'capitals' })),
  zipCode: Type.Optional(Type.String({ maxLength: 10, reads: 'postalCode' })),
  ipAddress: text(48),
  country: text(2),
});

export function readBuyer(customer: Static<typeof BUYER_REQUEST>): Buyer {
  return {
    documentType: customer.documentType ?? null,
    documentNumber: customer.documentNumber ?? null,
    firstName: customer.firstName ?? null,
    lastName: customer.lastName ?? null,
    email: customer.email ?? null,
    phoneNumber: customer.phoneNumber ?? null,
    mobilePhoneNumber: customer.mobilePhoneNumber ?? null,
    address: customer.address ?? null,
    complement: customer.complement ?? null,
    city: customer.city ?? null,
    state: customer.state ?? null,
    zipCode: customer.zipCode ?? null,
    country: customer.country ?? null,
    ipAddress: customer.ipAddress ?? null,
  };
}
