/** As the API shows them, and how a page says it. */
export const ENTRY_WORDS: Readonly<Record<string, string>> = {
  Created: 'Created',
  Activated: 'Activated',
  Canceled: 'Canceled',
  Blocked: 'Blocked',
  Completed: 'Completed',
  VaultChanged: 'Card changed',
  CustomerChanged: 'Customer changed',
  Opened: 'Opened',
  Charged: 'Charged',
};

export const PLAN_TYPES: Readonly<Record<string, string>> = {
  Monthly: 'Monthly',
  Bimonthly: 'Every two months',
  Quarterly: 'Every three months',
  Semesterly: 'Every six months',
  Yearly: 'Yearly',
  Custom: 'Its own rhythm',
};

/** Times of recurrence come without their zone, which is São Paulo's. */
export function saoPauloMoment(text: string): string {
  return `${text}-03:00`;
}
