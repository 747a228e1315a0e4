import type { CardBrand } from '../../values/card-number.ts';

/** As the networks write themselves. */
const NAMES: Readonly<Record<CardBrand, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  elo: 'Elo',
  hipercard: 'Hipercard',
};

export function brandText(brand: CardBrand): string {
  return NAMES[brand];
}

export function cardText({
  brand,
  lastFour,
}: {
  readonly brand: CardBrand;
  readonly lastFour: string;
}): string {
  return `${brandText(brand)} •••• ${lastFour}`;
}
