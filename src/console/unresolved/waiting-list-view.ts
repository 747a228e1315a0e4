import { type Html, html } from '../parts/html.ts';
import { emptyState, filterForm, link, moment, quotation, table } from '../parts/page-parts.ts';
import { boletoPath, casePath, merchantPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { KIND_WORDS, MOST_WAITING_SHOWN, WAITING_KINDS, type WaitingThing } from './waiting-thing.ts';

export function waitingList(waiting: readonly WaitingThing[], visit: Visit): Html {
  return html`${filters(visit)}${waiting.length > 0 && summary(waiting, visit)}${waitingTable(waiting, visit)}`;
}

function filters(visit: Visit): Html {
  const { say } = visit.wording;
  return filterForm(visit, [
    {
      name: 'kind',
      label: say('Kind'),
      choices: [['', say('Any')], ...WAITING_KINDS.map((kind) => [kind, say(KIND_WORDS[kind])] as const)],
    },
    { name: 'merchant', label: say('Merchant'), mostCharacters: 20 },
    { name: 'olderThan', label: say('Older than, in minutes'), type: 'number' },
    {
      name: 'order',
      label: say('First'),
      choices: [
        ['age', say('The oldest')],
        ['money', say('The largest amount')],
      ],
    },
  ]);
}

/** What is at stake, by whom it is at. */
function summary(waiting: readonly WaitingThing[], { wording }: Visit): Html {
  const { say, money, count } = wording;
  const sum = (things: readonly WaitingThing[]) => money(things.reduce((all, { amount }) => all + amount, 0));
  const atBank = waiting.filter(({ kind }) => kind === 'boleto');
  const atAcquirer = waiting.filter(({ kind }) => kind !== 'boleto');
  const part = (things: readonly WaitingThing[], text: string) =>
    things.length === 0 ? [] : [say(text, { count: count(things.length), money: sum(things) })];
  const parts = [
    ...part(atAcquirer, 'At the acquirer {count}, {money}'),
    ...part(atBank, 'At the bank {count}, {money}'),
  ];
  return html`<p class="lead">${parts.join(' · ')}</p>`;
}

/** Of a boleto nothing is decided here: its own page says how it stands. */
function pathOfThing({ kind, id, merchantId }: WaitingThing): string {
  return kind === 'boleto' ? boletoPath(merchantId, id) : casePath(id);
}

function waitingTable(waiting: readonly WaitingThing[], { wording, now, query }: Visit): Html {
  const { say, money, count, duration } = wording;
  if (waiting.length === 0)
    return ['kind', 'merchant', 'olderThan'].some((name) => query[name] !== undefined)
      ? emptyState(say('Nothing that is unknown fits.'), say('Choose another kind, merchant or age.'))
      : emptyState(
          say('Every outcome is known.'),
          say(
            'What the acquirer or the bank does not answer appears here, and is asked for until it is known.',
          ),
        );
  const rows = waiting.map((one) => [
    link(pathOfThing(one), one.id),
    say(KIND_WORDS[one.kind]),
    link(merchantPath(one.merchantId), one.merchantId),
    money(one.amount),
    duration(Math.max(0, (now - one.since) / 1_000)),
    count(one.tries),
    moment(wording, one.dueAt),
    quotation(one.reason),
  ]);
  return html`${table(
    say('Unresolved'),
    [
      { title: say('Id') },
      { title: say('Kind') },
      { title: say('Merchant') },
      { title: say('Amount'), isNumber: true },
      { title: say('Unknown for') },
      { title: say('Tries'), isNumber: true },
      { title: say('Next try') },
      { title: say('Last reason, as it was noted') },
    ],
    rows,
  )}${
    waiting.length >= MOST_WAITING_SHOWN &&
    html`<p class="note">${say('Only the first {count} are shown: choose a kind, a merchant or an age.', {
      count: count(MOST_WAITING_SHOWN),
    })}</p>`
  }`;
}
