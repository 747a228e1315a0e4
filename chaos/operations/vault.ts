import { drawInstallments } from './cancels.ts';
import { type Operation, wantPayment } from './operation.ts';

export const VAULT: readonly Operation[] = [
  {
    name: 'payByVault',
    weight: 2,
    async prepare(preparation) {
      const installments = drawInstallments(preparation.chance);
      const wanted = await wantPayment(preparation, 'payByVault', { kind: 'vault' });
      return async ({ to }) => void (await preparation.till.pay(to(), { ...wanted, installments }));
    },
  },
  {
    name: 'storeAndPay',
    weight: 1,
    async prepare(preparation) {
      const { till, chance, round } = preparation;
      const isVerified = chance.isIn(0.3);
      const wanted = await wantPayment(preparation, 'storeAndPay');
      const holder = nameOf(till.newMark());
      return async ({ to }) => {
        const { shop, cardSource } = wanted;
        const card = await till.store(to(), { round, shop, cardSource: cardSource.text, holder, isVerified });
        if (card.status !== 200) return;
        const { vaultId } = card.body as { vaultId: string };
        await till.pay(to(), { ...wanted, cardSource: { kind: 'vault', text: vaultId } });
      };
    },
  },
];

const LETTERS = 'JABCDEFGHI';

/** No other card has it, so that a stored one is found again. Digits as letters, for names have none. */
function nameOf(mark: number): string {
  return `ANA ${[...String(mark)].map((digit) => LETTERS[Number(digit)]).join('')}`;
}
