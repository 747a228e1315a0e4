import type { Account, Billing, Books } from './books.ts';
import { judgeCards } from './judge-cards.ts';
import { judgePix } from './judge-pix.ts';

/** What is wrong with one subscriber; each complaint says all that a person must know. */
export type Complain = (text: string) => void;

/** Reasons that a subscription may have, by its status. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  Canceled: ['ByMerchant', 'ByPayer', 'Declined', 'Completed'],
  Blocked: ['CardCanceled'],
  Rejected: ['RejectedByPayer'],
  Expired: ['NotAuthorized'],
};

/** Nobody is charged twice, and each billing is paid once or explained: by three books. */
export function judge(books: Books): string[] {
  const complaints: string[] = [];
  for (const account of books.accounts) {
    const { subscriber, subscription } = account;
    const complain = (text: string) =>
      complaints.push(
        `${subscriber.number} ${subscriber.method} ${subscriber.kind} ${subscriber.planType} (${subscription.id}): ${text}`,
      );
    judgeAlike(books, account, complain);
    if (subscriber.method === 'card') judgeCards(books, account, subscriber, complain);
    else judgePix(books, account, subscriber, complain);
  }
  return [...complaints, ...judgeWhole(books)];
}

function judgeAlike(
  { today }: Books,
  { subscriber, subscription, billings }: Account,
  complain: Complain,
): void {
  const { status, statusReason } = subscription;
  if (status !== 'Active' && !(REASONS[status] ?? []).includes(statusReason ?? ''))
    complain(`it is ${status}, and the reason is ${statusReason}`);
  for (const [at, { installment, amount }] of billings.entries()) {
    if (installment !== at + 1) complain(`installment ${installment} is the ${at + 1}th`);
    if (Math.round(amount * 100) !== subscriber.amount)
      complain(`installment ${installment} is of ${amount}, and its plan of ${subscriber.amount} cents`);
  }
  const open = billings.filter((one) => one.status === 'Opened');
  if (open.length !== (status === 'Active' ? 1 : 0)) complain(`${open.length} billings are open`);
  for (const { installment, nextChargeOn } of open)
    if (nextChargeOn === undefined && subscriber.method === 'card')
      complain(`installment ${installment} is open and waits for no day`);
  for (const { installment, expireAt } of billings.slice(0, -1))
    if (expireAt.slice(0, 10) > today) complain(`installment ${installment} lies ahead, as does another`);
  const last = billings.at(-1);
  if (status === 'Active' && last?.status !== 'Opened') complain(`its last billing is ${last?.status}`);
  if (last === undefined) complain('it has no billing');
}

/** What the others have booked, and no subscriber owes. */
function judgeWhole({ accounts, charges, arrived }: Books): string[] {
  const billings = accounts.flatMap((account) => account.billings as readonly Billing[]);
  const known = new Set(billings.map(({ id }) => id));
  const paidBy = new Set(billings.flatMap(({ nsu }) => nsu ?? []));
  return [
    ...charges
      .filter(({ reference }) => !known.has(reference))
      .map(({ paymentId, reference }) => `the acquirer has ${paymentId} for ${reference}`),
    ...[...arrived]
      .filter(([nsu]) => !paidBy.has(nsu))
      .map(
        ([, { endToEndId, amount, txid }]) => `${endToEndId} of ${amount} came for ${txid}, and paid nothing`,
      ),
  ];
}

/** How it went, for a person. */
export function summarize({ accounts, charges, arrived, today }: Books): string {
  const counted = (words: readonly string[]) =>
    Object.entries(Object.groupBy(words, (word) => word))
      .map(([word, list]) => `${word} ${list?.length}`)
      .sort()
      .join(', ');
  const words = (method: string) => accounts.filter(({ subscriber }) => subscriber.method === method);
  const lines = ['card', 'pix'].map((method) => {
    const own = words(method);
    const subscriptions = counted(
      own.map(({ subscription }) => [subscription.status, subscription.statusReason ?? []].flat().join(' ')),
    );
    const billings = counted(own.flatMap((account) => account.billings.map(({ status }) => status)));
    return `${method}: ${own.length} subscriptions (${subscriptions}); billings: ${billings}`;
  });
  const booked = `the acquirer booked ${counted(charges.map(({ status }) => status))}; ${arrived.size} came by Pix`;
  return [`until ${today}`, ...lines, booked].join('\n');
}
