import type * as files from '#settlement-files';
import { daysBetween } from '../../../../values/business-day.ts';
import type { Day } from '../../../../values/instant.ts';
import type { BoletoRequest } from '../../bank.ts';

export type RemittanceAgreement = {
  readonly bank: files.RemittanceBank;
  readonly agreement: files.Agreement;
};

/** Ours has eleven digits: a bank whose numbers are shorter gets the last ones. */
export function bankNumberOf(
  { bank: { numberLength, numberOf }, agreement }: RemittanceAgreement,
  { ourNumber, issuedOn }: Pick<BoletoRequest, 'ourNumber' | 'issuedOn'>,
): string {
  const last = () => ourNumber.slice(-numberLength).padStart(numberLength, '0');
  return numberOf?.(ourNumber, fileDay(issuedOn), agreement) ?? last();
}

export function remittanceOrder(
  request: Omit<BoletoRequest, 'merchantId' | 'instructions'>,
  { kind, bankNumber }: Pick<files.RemittanceOrder, 'kind' | 'bankNumber'>,
): files.RemittanceOrder {
  const { ourNumber, amount, issuedOn, dueOn, payableUntil, payer, discount } = request;
  const { street, number, complement, district, city, state, zipCode } = payer.address;
  const { name, documentNumber } = payer;
  const place = [`${street}, ${number}`, complement].filter((part) => part !== null).join(' ');
  return {
    ...{ kind, bankNumber, companyUse: ourNumber, amount },
    ...{ issuedOn: fileDay(issuedOn), dueOn: fileDay(dueOn) },
    daysAfterDue: daysBetween(dueOn, payableUntil),
    payer: { name, documentNumber, street: place, district, city, state, zipCode },
    finePortion: request.finePortion,
    interestPortion: request.interestPortion,
    discount: discount === null ? null : { amount: discount.amount, until: fileDay(discount.until) },
  };
}

/** The package of files has a type of its own for the same days. */
export function fileDay(day: Day): files.RemittanceOrder['dueOn'] {
  return day as string as files.RemittanceOrder['dueOn'];
}
