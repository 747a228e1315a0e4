import { type Html, html } from '../parts/html.ts';
import { realMoment } from '../parts/page-parts.ts';
import type { Wording } from '../parts/wording.ts';
import type { DelayedMethod } from './delayed-method.ts';

type Words = { readonly all: string; readonly part: string; readonly slow: string; readonly silent: string };

const WORDS: Readonly<Record<DelayedMethod['method'], Words>> = {
  card: {
    all: 'Payments by card',
    part: 'Part of the payments by card',
    slow: 'Sales go on. What stays in processing is settled by itself: do not charge it again.',
    silent:
      'New sales may be refused or stay in processing. What stays there is settled by itself: do not charge it again.',
  },
  pix: {
    all: 'New Pix',
    part: 'Part of the new Pix',
    slow: 'They are made all the same, and those that were made can be paid.',
    silent: 'New ones wait or are refused, to be asked for again later; those that were made can be paid.',
  },
  boleto: {
    all: 'New boletos',
    part: 'Part of the new boletos',
    slow: 'They are issued all the same, and those that were issued can be paid.',
    silent: 'New ones wait or are refused, to be asked for again later; those that were issued can be paid.',
  },
};

/** Names of providers are the operator's: merchants do not see them. */
export function delaysShown(delays: readonly DelayedMethod[], wording: Wording): Html {
  const { say } = wording;
  return html`${delays.map(({ method, since, isSilent, isInPart }) => {
    const words = WORDS[method];
    const what = say(isInPart ? words.part : words.all);
    const how = isSilent ? say('no answer since') : say('answers are slower than usual since');
    return html`<p class="message wait" role="status">${what}: ${how} ${realMoment(wording, since)}. ${say(isSilent ? words.silent : words.slow)}</p>
`;
  })}`;
}
