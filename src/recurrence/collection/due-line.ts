import type { DueBilling } from './due-billings.sql.ts';

/** Billings that were found due and wait for a slot of this process: each merchant has a line, and they take turns. */
export type ChargeLine = {
  length(): number;
  ids(): string[];
  add(billing: DueBilling): void;
  /** The next, of the merchant whose turn it is; merchants for whom `isBusy` holds are passed over. */
  take(isBusy: (merchantId: string) => boolean): DueBilling | null;
};

export function openChargeLine(): ChargeLine {
  /** In the order of their turns: whoever was served goes to the end. */
  const lines = new Map<string, DueBilling[]>();
  let length = 0;
  return {
    length: () => length,
    ids: () => [...lines.values()].flatMap((line) => line.map(({ billingId }) => billingId)),
    add(billing) {
      const line = lines.get(billing.merchantId);
      if (line === undefined) lines.set(billing.merchantId, [billing]);
      else line.push(billing);
      length += 1;
    },
    take(isBusy) {
      for (const [merchantId, line] of lines) {
        if (isBusy(merchantId)) continue;
        const billing = line.shift() as DueBilling;
        lines.delete(merchantId);
        if (line.length > 0) lines.set(merchantId, line);
        length -= 1;
        return billing;
      }
      return null;
    },
  };
}
