import type { Finding } from '../judge/finding.ts';
import { type Answered, isAboutKey } from '../log.ts';
import { type BankPix, centsIn } from './bank-ledger.ts';
import type { EntryView, PixBooks, PixView } from './books.ts';
import type { WantedBack } from './client.ts';

const is = (wanted: number) => (answer: Answered) => answer.status === wanted;
const isNo = (answer: Answered) => answer.status !== null && answer.status >= 400 && !isAboutKey(answer);
/** 500 says that a cancel is under way. */
const isNoCancel = (answer: Answered) => isNo(answer) && answer.status !== 500;
const amountIn = ({ body }: Answered): number => (body as { amount: number }).amount;
const idIn = ({ body }: Answered): string => (body as { paymentId: string }).paymentId;
const sorted = (amounts: readonly number[]) => amounts.toSorted((one, other) => one - other).join();

/** Beside the chain of states. */
const ASIDE = ['Pagamento inesperado', 'Devolvida pelo banco'];
const LAST_MOVES: Readonly<Record<string, readonly string[]>> = {
  Aguardando: ['Aguardando'],
  Paga: ['Paga'],
  Cancelada: ['Cancelada', 'Devolvida'],
  Expirada: ['Expirada'],
};

/** What left of it again, once done. */
const doneOf = ({ devolucoes = [] }: BankPix) => devolucoes.filter(({ status }) => status === 'DEVOLVIDO');
const isOfBank = ({ natureza = '' }: { readonly natureza?: string }) => natureza.startsWith('MED');

/** A promise, and what is wrong with one Pix; null: nothing. */
type Of<View> = readonly [promise: string, check: (view: View) => string | null];

/** Of one that merchants see. */
type Seen = PixView & { readonly shown: NonNullable<PixView['shown']> };

const OF_PIX: readonly Of<Seen>[] = [
  [
    'nothing stays unknown',
    ({ shown }) => {
      const open = shown.cancels.find(({ status }) => status === 'Processando' || status === 'Pendente');
      if (shown.statusDescription === 'Processando') return 'the charge is Processando';
      if (open !== undefined) return `a devolution of ${open.amount} is ${open.status}`;
      return shown.cancelingAmount === 0 ? null : `${shown.cancelingAmount} is being given back`;
    },
  ],
  [
    'what arrived at the bank is shown, once, and nothing else',
    ({ shown, arrived }) => {
      const textOf = ({ endToEndId, amount }: { endToEndId: string; amount: number }) =>
        `${amount} as ${endToEndId}`;
      const [ours, theirs] = [shown.payments.map(textOf).sort(), arrived.map(textOf).sort()];
      return ours.join() === theirs.join() ? null : `here ${ours}, at the bank ${theirs}`;
    },
  ],
  [
    'what was given back at the bank is shown, once, and never more than arrived',
    ({ shown, arrived }) => {
      for (const pix of arrived) {
        const done = doneOf(pix);
        const theirs = sorted(done.map(({ valor }) => centsIn(valor)));
        const own = shown.cancels.filter(
          ({ endToEndId, status }) => endToEndId === pix.endToEndId && status === 'Cancelado',
        );
        const ours = sorted(own.map(({ amount }) => amount));
        const sum = done.reduce((all, { valor }) => all + centsIn(valor), 0);
        if (ours !== theirs) return `of ${pix.endToEndId} here ${ours}, at the bank ${theirs}`;
        if (sum > pix.amount) return `${sum} of ${pix.amount} at the bank`;
        const counted = shown.payments.find(({ endToEndId }) => endToEndId === pix.endToEndId);
        if (counted?.canceledAmount !== sum) return `${counted?.canceledAmount} here, ${sum} at the bank`;
      }
      return null;
    },
  ],
  [
    'a Pix is what it is at the bank',
    ({ shown, atBank, arrived }) => {
      const { statusDescription: status } = shown;
      const isRemoved = atBank?.status.startsWith('REMOVIDA') ?? false;
      const text = `here ${status}, at the bank ${atBank?.status ?? 'none'}, ${arrived.length} arrived`;
      if (status === 'Negada') return atBank === null || isRemoved ? null : text;
      if (atBank === null) return text;
      if (centsIn(atBank.valor.original) !== shown.value || !hasItsCode(shown.pixEmv, atBank, arrived))
        return 'of another amount or code';
      if (status === 'Aguardando') return atBank.status === 'ATIVA' && arrived.length === 0 ? null : text;
      if (status === 'Paga') return arrived.length > 0 ? null : text;
      // Canceled, expired or given back whole: nobody can pay it any more.
      return atBank.status === 'ATIVA' ? text : null;
    },
  ],
  [
    'one payment pays, and what nobody expected has an exception and a movement',
    ({ shown, movements }) => {
      const odd = shown.payments.filter(({ kind }) => kind !== 'expected');
      const paying = shown.payments.filter(({ kind }) => kind === 'expected' || kind === 'otherAmount');
      const told = movements.filter(({ newValue }) => newValue === 'Pagamento inesperado').length;
      if (paying.length !== (shown.paidAmount === null ? 0 : 1)) return `${paying.length} pay it`;
      if (odd.some(({ exceptionId, state }) => exceptionId === null || state !== 'open'))
        return 'one has no exception';
      return told === odd.length ? null : `${odd.length} were not expected, ${told} were told`;
    },
  ],
  [
    'each change of status is one movement, from where the one before ended',
    ({ shown, movements }) => {
      const moves = movements.filter(({ newValue }) => !ASIDE.includes(newValue));
      const isChain = moves.every(({ oldValue }, at) => (oldValue ?? '') === (moves[at - 1]?.newValue ?? ''));
      const isOnce = new Set(moves.map(({ newValue }) => newValue)).size === moves.length;
      const last = moves.at(-1)?.newValue;
      const wanted = LAST_MOVES[shown.statusDescription];
      const isLast = last === undefined ? wanted === undefined : (wanted?.includes(last) ?? false);
      if (isChain && isOnce && isLast) return null;
      const said = moves.map(({ oldValue, newValue }) => `${oldValue}>${newValue}`).join(' ');
      return `${shown.statusDescription} by ${said || 'none'}`;
    },
  ],
];

function callbacksWanted({ shown, arrived, movements }: Seen): number[] {
  const own = shown.cancels.filter(({ status }) => status === 'Cancelado').length;
  const ofBank = arrived.flatMap(doneOf).filter(isOfBank).length;
  const all = movements.length + own - ofBank;
  const isReturned = movements.some(({ newValue }) => newValue === 'Devolvida');
  if (!isReturned) return [all];
  // The last devolution and its movement are one piece of news; one that the bank took is a movement alone.
  return ofBank > 0 ? [all, all - 1] : [all - 1];
}

/** One that was paid before a good code came needs none. */
function hasItsCode(
  shown: string | null,
  atBank: { readonly pixCopiaECola: string },
  arrived: readonly unknown[],
): boolean {
  return shown === null ? arrived.length > 0 : shown === atBank.pixCopiaECola;
}

const OF_ENTRY: readonly Of<EntryView>[] = [
  [
    'one request makes one charge',
    ({ pix }) => {
      const charges = pix.filter(({ atBank }) => atBank !== null);
      return charges.length > 1 ? charges.map(({ txid }) => txid).join(' and ') : null;
    },
  ],
  [
    'a request without a key makes one payment',
    ({ entry, pix }) => (entry.key === null && pix.length > 1 ? `${pix.length} rows` : null),
  ],
  [
    'all answers with one key name the same payment',
    ({ entry }) => {
      const ids = new Set(entry.answers.filter((one) => is(200)(one) || is(202)(one)).map(idIn));
      return ids.size > 1 ? [...ids].join(' and ') : null;
    },
  ],
  [
    'an answered charge stands at the bank, with its code and amount',
    ({ entry, pix }) => {
      for (const answer of entry.answers.filter(is(200))) {
        const { pixEmv, amount } = answer.body as { pixEmv: string | null; amount: number };
        const made = pix.find(({ pixId }) => pixId === idIn(answer));
        if (made === undefined) return 'there is no such row';
        if (made.atBank === null) return 'the bank has none';
        if (!hasItsCode(pixEmv, made.atBank, made.arrived))
          return `the bank has ${made.atBank.pixCopiaECola}`;
        if (centsIn(made.atBank.valor.original) !== amount || amount !== entry.amount)
          return `the bank has ${made.atBank.valor.original}, answered was ${amount}`;
      }
      return null;
    },
  ],
  [
    'an answer of no leaves nothing to pay',
    ({ entry, pix }) => {
      const { answers } = entry;
      if (answers.length === 0 || !answers.every(isNo)) return null;
      const live = pix.find(({ atBank }) => atBank !== null && !atBank.status.startsWith('REMOVIDA'));
      return live === undefined
        ? null
        : `answered ${answers.map(({ status }) => status)}, ${live.atBank?.status}`;
    },
  ],
  [
    'no code can be paid after a cancel that was told done',
    ({ entry, pix }) => {
      const isTold = entry.backs.some(({ answers }) => answers.some(is(200)));
      const live = pix.find(({ atBank }) => atBank?.status === 'ATIVA');
      return isTold && live !== undefined ? `${live.txid} is ATIVA` : null;
    },
  ],
  [
    'each wish gives back once what was told, and nothing where the answer was no',
    ({ entry, pix }) => {
      const done = pix
        .flatMap(({ arrived }) => arrived.flatMap(doneOf))
        .filter((one) => !isOfBank(one))
        .map(({ valor }) => centsIn(valor));
      const isRemoved = pix.some(({ atBank }) => atBank?.status.startsWith('REMOVIDA') ?? false);
      const left = [...done];
      for (const back of entry.backs) {
        const text = wrongWith(back, left, isRemoved ? entry.amount : null);
        if (text !== null) return `${text}; at the bank ${sorted(done) || 'none'}`;
      }
      const open = entry.backs.filter((back) => toldAmount(back) === null && !back.answers.every(isNoCancel));
      const wished = left.every((amount) =>
        open.some((back) => back.amount === null || back.amount === amount),
      );
      if (left.length > open.length || !wished) return `nobody wished ${left}`;
      return null;
    },
  ],
];

/** What an answer of 200 says, once all of them say the same. */
function toldAmount({ answers }: WantedBack): number | null {
  const told = answers.find(is(200));
  return told === undefined ? null : amountIn(told);
}

/** Takes what was told out of `left`. `removed`: what a removal would tell. */
function wrongWith(back: WantedBack, left: number[], removed: number | null): string | null {
  const told = toldAmount(back);
  if (told === null) return null;
  if (new Set(back.answers.filter(is(200)).map(amountIn)).size > 1) return 'one key told two amounts';
  if (back.amount !== null && told !== back.amount) return `wished ${back.amount}, told ${told}`;
  const place = left.indexOf(told);
  if (place >= 0) left.splice(place, 1);
  else if (told !== removed) return `told that ${told} was given back`;
  return null;
}

/** Everything that is promised of these Pix and is not so. */
export function checkPix({ views, ledger, txids }: PixBooks): Finding[] {
  const findings: Finding[] = [];
  for (const view of views) {
    const { reference } = view.entry;
    const find = (invariant: string, text: string | null) => {
      if (text !== null) findings.push({ invariant, reference, text: text + viewsOf(view) });
    };
    for (const [invariant, check] of OF_ENTRY) find(invariant, check(view));
    for (const pix of view.pix) {
      if (pix.shown === null) {
        if (pix.atBank !== null) find('what was never sent is not at the bank', pix.txid);
        continue;
      }
      const seen: Seen = { ...pix, shown: pix.shown };
      for (const [invariant, check] of OF_PIX) find(invariant, check(seen));
      const wanted = view.entry.callback === null ? [0] : callbacksWanted(seen);
      if (!wanted.includes(pix.callbacks))
        find('each change and each part is called back once', `${pix.callbacks}, not ${wanted.join(' or ')}`);
    }
  }
  for (const { txid, status } of ledger.charges)
    if (!txids.has(txid))
      findings.push({ invariant: 'the bank has no charge unknown here', reference: txid, text: status });
  return findings;
}

function viewsOf({ entry, pix }: EntryView): string {
  const shown = (answers: readonly Answered[]) =>
    answers.map(({ status, lostBy, body }) => status ?? `lost (${lostBy})${body ?? ''}`).join(', ');
  const backs = entry.backs.map(
    ({ amount, endToEndId, key, answers }) =>
      `\n  back ${amount ?? 'all'} ${endToEndId ?? ''}${key === null ? '' : ' with a key'}: ${shown(answers)} ${JSON.stringify(answers.at(-1)?.body)}`,
  );
  return [
    `\n  ${entry.operation}${entry.key === null ? '' : ' with a key'}, ${entry.amount}, answered ${shown(entry.answers)}`,
    ...backs,
    ...pix.map((one) => `\n  ${JSON.stringify(one)}`),
  ].join('');
}
