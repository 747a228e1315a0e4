import type { CatalogueTable } from '../../platform/reference/catalogue.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { adviceCodes, type DeclineClass, type IssuerCode, issuerCodes } from './issuer-code.ts';

export function declineCatalogue(): CatalogueTable[] {
  return [
    ...(Object.keys(CLASS_TEXTS) as DeclineClass[]).map(issuerCodeTable),
    helpTable(),
    adviceCodeTable(),
  ];
}

const CLASS_TEXTS: Record<DeclineClass, string> = {
  funds: 'The money may be there another day.',
  blocked: 'The card is canceled.',
  technical: 'Issuer or acquirer is out of order.',
  invalid: 'Something of the request, the amount or the set-up is wrong, not of the card.',
  denied: 'Every other no. A code that stands in no table counts as denied and is not retryable.',
};

/** One row per meaning, with each brand's codes for it. */
function issuerCodeTable(declineClass: DeclineClass): CatalogueTable {
  const codes = issuerCodes().filter((code) => code.declineClass === declineClass);
  const alike = Map.groupBy(codes, ({ meaning, isReversible }) => JSON.stringify([meaning, isReversible]));
  return {
    title: `Declines: ${declineClass}`,
    text: `Status 402, with the issuer's code as tag. ${CLASS_TEXTS[declineClass]}`,
    columns: [...CARD_BRANDS, 'Retryable', 'Portuguese', 'English'],
    rows: [...alike.values()].map(issuerCodeRow),
  };
}

function issuerCodeRow(codes: readonly IssuerCode[]): string[] {
  const { meaning, isReversible, isDecidedByAdvice } = codes[0] as IssuerCode;
  const byBrand = CARD_BRANDS.map((brand) =>
    codes
      .filter((code) => code.brand === brand)
      .map(({ code }) => `\`${code}\``)
      .join(', '),
  );
  const retryable = isDecidedByAdvice ? 'when the advice names a time' : isReversible ? 'yes' : 'no';
  return [...byBrand, retryable, meaning.pt, meaning.en];
}

/** What a person should do. Meanings with the same remedy share a row. */
function helpTable(): CatalogueTable {
  const alike = Map.groupBy(issuerCodes(), ({ remedy }) => JSON.stringify(remedy));
  return {
    title: 'Declines: what to do',
    text:
      'Beside a decline, as `buyerMessage` and `merchantMessage`; behind the latter stands whether to try again. `GET /v1/issuer-codes` ' +
      'gives them by brand and code. What the buyer reads reveals no loss, theft or suspicion.',
    columns: ['Meanings', 'Buyer, Portuguese', 'Buyer, English', 'Merchant, Portuguese', 'Merchant, English'],
    rows: [...alike.values()].map(helpRow),
  };
}

function helpRow(codes: readonly IssuerCode[]): string[] {
  const { buyer, merchant } = (codes[0] as IssuerCode).remedy;
  const meanings = [...new Set(codes.map(({ meaning }) => meaning.en))].join('; ');
  return [meanings, buyer.pt, buyer.en, merchant.pt, merchant.en];
}

function adviceCodeTable(): CatalogueTable {
  return {
    title: 'Merchant advice codes',
    text: 'Beside a decline, as `merchantAdviceCode`. It comes before what the code alone would say.',
    columns: ['Code', 'Another try', 'Portuguese', 'English'],
    rows: adviceCodes().map(({ code, delayHours, isNeverAgain, isCardBlocked, pt, en }) => [
      `\`${code}\``,
      adviceText({ delayHours, isNeverAgain, isCardBlocked }),
      pt,
      en,
    ]),
  };
}

function adviceText(advice: {
  readonly delayHours: number | null;
  readonly isNeverAgain: boolean;
  readonly isCardBlocked: boolean;
}): string {
  if (advice.isCardBlocked) return 'never: the card is canceled';
  if (advice.isNeverAgain) return 'never';
  return advice.delayHours === null ? 'as the code says' : `after ${advice.delayHours} h, if the code allows`;
}
