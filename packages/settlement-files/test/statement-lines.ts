import { RedeStatementWriter } from '../src/acquirers/rede/write-rede-statement.ts';

export const STATEMENT_DAY = '2026-11-20';

const installment = (nsu: number, change: object = {}) => ({
  ...{ nsu: String(nsu), soldOn: '2026-10-20', installmentNumber: 1, installmentCount: 1 },
  ...{ gross: 1_000, fee: 25, net: 975, batch: '700', tid: `T${nsu}`, orderReference: '0199C1F26A2B7C11' },
  ...change,
});

/** A paid deposit that something was kept from, one paid early, a suspended one and one nobody knows. */
export function redeStatementLines(): string[] {
  const writer = new RedeStatementWriter('12345678', STATEMENT_DAY);
  const deposit = (number: number, change: object) => ({
    ...{ deposit: `P2026112000${number}`, status: 'PAID', type: 'CREDIT', brand: '2', debits: [] },
    ...{ net: 975, installments: [installment(43 + number - 2)] },
    ...change,
  });
  const whole = { gross: 10_000, fee: 250, net: 9_750 };
  return [
    writer.header(),
    ...writer.deposit(
      deposit(1, {
        net: 11_875,
        installments: [
          installment(41, whole),
          installment(42, {
            ...{ installmentNumber: 2, installmentCount: 2 },
            ...{ gross: 5_000, fee: 125, net: 4_875 },
          }),
        ],
        debits: [{ reason: '23', amount: 2_750, description: 'Aluguel de equipamento' }],
      }),
    ),
    ...writer.deposit(
      deposit(2, {
        ...{ type: 'ANTICIPATION', brand: '1', net: 9_500 },
        installments: [installment(43, { ...whole, net: 9_500, installmentNumber: 3, installmentCount: 3 })],
      }),
    ),
    ...writer.deposit(deposit(3, { status: 'SUSPENDED', brand: '0' })),
    ...writer.deposit(deposit(4, { status: 'RETIDO', brand: '14' })),
    writer.trailer(),
  ];
}
