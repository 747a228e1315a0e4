import type { Buyer } from '../../src/antifraud/anti-fraud.ts';

/** A buyer of whom the merchant sent nothing. */
export const NO_BUYER: Buyer = {
  documentType: null,
  documentNumber: null,
  firstName: null,
  lastName: null,
  email: null,
  phoneNumber: null,
  mobilePhoneNumber: null,
  address: null,
  complement: null,
  city: null,
  state: null,
  zipCode: null,
  country: null,
  ipAddress: null,
};
