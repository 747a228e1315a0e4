declare const process: { readonly env: Readonly<Record<string, string>> };

type Login = { readonly userName: string; readonly password: string };

/** Where the service is, and who calls it. */
export const GIVEN = JSON.parse(process.env.GIVEN ?? '') as {
  readonly url: string;
  readonly gateway: Login;
  readonly recurrence: Login;
};

export const CARD = {
  brand: 'mastercard',
  cardholderName: 'ANA SOUZA',
  expirationMonth: '12',
  expirationYear: '39',
} as const;

/** One that the acquirer of homologation approves. */
const CARD_NUMBER = '5155901222280001';
export const TOKENIZED = { cardNumber: CARD_NUMBER };

export const saleWith = (vaultId: string) =>
  ({
    payment: { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 },
    sellerInfo: { codeAntiFraud: '6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d' },
    cardInfo: { vaultId },
  }) as const;

export const PLAN = {
  name: 'Clube do Livro',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  paymentMethod: 'CreditCard',
} as const;

export function expect(name: string, given: unknown, wanted: unknown): void {
  if (given !== wanted)
    throw new Error(`${name} is ${JSON.stringify(given)} and not ${JSON.stringify(wanted)}`);
}

/** What was answered; an error of the service ends the program. */
export function good<Data>(name: string, { data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`);
  return data;
}
