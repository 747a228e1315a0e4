import type { CauseOfRule, CauseSum, ExceptionCause } from '../../reconciliation/exceptions/causes.sql.ts';
import { EXCEPTION_CLASSES, type ExceptionClass } from '../../reconciliation/exceptions/exception.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, brandText, link, section, table } from '../parts/page-parts.ts';
import { EXCEPTION_CAUSE, EXCEPTIONS, FEES, pathOf, withQuery } from '../parts/paths.ts';
import {
  type Action,
  type Form,
  NOT_AS_SEEN,
  OPERATION_DONE,
  onceKeyOf,
  operationRefused,
  refusedAs,
  type Visit,
} from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { lackText } from '../reconciliation/exception-words.ts';
import { MOST_RESOLVED_AT_ONCE } from './exception-found.ts';

export type CauseFound = {
  readonly cause: ExceptionCause;
  readonly sum: CauseSum;
  /** The open exceptions by fee rule. Empty unless they are about fees. */
  readonly rules: readonly CauseOfRule[];
};

const NONE = '-';

const partsOf = ({ merchantId, class: name, rule }: ExceptionCause) => ({
  of: merchantId ?? NONE,
  name,
  rule: rule === null ? NONE : `${rule.brand}-${rule.installmentCount}`,
});

/** Null: the path names no cause. */
function readCause({ of = '', name, rule = '' }: Readonly<Record<string, string>>): ExceptionCause | null {
  const known = EXCEPTION_CLASSES.find((one) => one === name);
  const [text, installments = ''] = rule.split('-');
  const brand = CARD_BRANDS.find((one) => one === text);
  if (known === undefined || of === '' || of.length > 20) return null;
  const merchantId = of === NONE ? null : of;
  if (rule === NONE) return { merchantId, class: known, rule: null };
  if (brand === undefined || !/^[1-9]\d?$/.test(installments)) return null;
  return { merchantId, class: known, rule: { brand, installmentCount: Number(installments) } };
}

const readSeen = (text = '') => (/^[0-9a-f]{64}$/.test(text) ? { digest: text } : null);

export function causeSection({ cause, sum, rules }: CauseFound, visit: Visit): Shown {
  if (sum.count === 0) return '';
  const { say } = visit.wording;
  return section(
    say('All open ones of this cause'),
    html`${rules.length > 0 && ruleTable(cause, rules, visit)}${resolveForm(cause, wholeSum(sum), visit)}`,
  );
}

const wholeSum = (sum: CauseSum) => ({ ...sum, isCut: sum.count >= MOST_RESOLVED_AT_ONCE });

/** Missing money and money that is too much are told apart, and not set off. */
function sumText(
  name: ExceptionClass,
  { missing, surplus }: Pick<CauseSum, 'missing' | 'surplus'>,
  wording: Wording,
): string {
  const parts = [missing, 0 - surplus].filter((amount) => amount !== 0);
  const texts = (parts.length === 0 ? [0] : parts).map((amount) =>
    lackText({ class: name, amount }, wording),
  );
  return texts.join(', ');
}

function resolveForm(
  cause: ExceptionCause,
  sum: CauseSum & { readonly isCut: boolean },
  visit: Visit,
  typed?: Form,
): Shown {
  const { say, count } = visit.wording;
  const shown = { count: count(sum.count), amount: sumText(cause.class, sum, visit.wording) };
  return actionForm(visit, RESOLVE_CAUSE, {
    typed,
    values: partsOf(cause),
    about: sum.isCut
      ? say('The {count} largest of them ({amount}) end with one reason; then ask for the others.', shown)
      : say('{count} of them ({amount}) end with one reason. If they change meanwhile, none does.', shown),
    hidden: { seen: sum.digest },
    button: say('Resolve {count}', { count: count(sum.count) }),
    isGrave: true,
  });
}

function ruleText({ brand, installmentCount }: CauseOfRule, { say, count }: Wording): string {
  const of = brandText(brand);
  return installmentCount === 1
    ? say('{brand}, in one payment', { brand: of })
    : say('{brand}, {from} installments', { brand: of, from: count(installmentCount) });
}

/** `portion`: hundredths of a percent. Null: not known. */
const portionText = (portion: number | null, { count }: Wording) =>
  portion === null ? '–' : `${count(portion / 100)}%`;

/** The rate by the files. If there is not one rate: from the lowest to the highest. */
function foundText(one: CauseOfRule, wording: Wording): string {
  const { isOnePortion, foundPortion, lowestPortion, highestPortion } = one;
  if (isOnePortion) return portionText(foundPortion, wording);
  if (lowestPortion === highestPortion) return portionText(lowestPortion, wording);
  return `${portionText(lowestPortion, wording)} – ${portionText(highestPortion, wording)}`;
}

function ruleTable(
  { merchantId, class: name }: ExceptionCause,
  rules: readonly CauseOfRule[],
  visit: Visit,
): Html {
  const { wording } = visit;
  const { say, count } = wording;
  return table(say('By the rule of the fees'), rules, [
    { title: say('Brand and installments'), cell: (one) => ruleText(one, wording) },
    { title: say('By our rule'), isNumber: true, cell: (one) => portionText(one.expectedPortion, wording) },
    { title: say('By the files'), isNumber: true, cell: (one) => foundText(one, wording) },
    { title: say('How many'), isNumber: true, cell: (one) => count(one.count) },
    { title: say('Difference'), isNumber: true, cell: (one) => sumText(name, one, wording) },
    {
      title: say('What helps'),
      cell: (one, at) =>
        html`${one.isOnePortion && link(feePath(merchantId, one), say('Set the rule right'))} ${resolveForm(
          { merchantId, class: name, rule: one },
          one,
          { ...visit, onceKey: onceKeyOf(visit, at + 1) },
        )}`,
    },
  ]);
}

function feePath(merchant: string | null, { brand, installmentCount, foundPortion }: CauseOfRule): string {
  return withQuery(pathOf(FEES), {
    merchant: merchant ?? undefined,
    brand,
    installments: installmentCount,
    portion: foundPortion ?? undefined,
  });
}

const RESOLVE_CAUSE: Action<ConsoleTools> = {
  path: `${EXCEPTION_CAUSE}/resolve`,
  roles: ['finance', 'operator', 'admin'],
  of: 'operator',
  title: 'Resolve all of them',
  operation: 'reconciliation.resolve',
  async perform(visit, { reason = '', seen: text }, { resolveCause }) {
    const cause = readCause(visit.parameters);
    const seen = readSeen(text);
    if (cause === null || seen === null)
      return operationRefused(404, visit.wording.say('There is no such exception.'));
    const result = await resolveCause(visit, { cause, seen, reason });
    return result === 'resolved' ? OPERATION_DONE : refusedAs(visit, NOT_AS_SEEN);
  },
  async again(visit, typed, { sumCause, listRules }) {
    const cause = readCause(visit.parameters);
    if (cause === null) return '';
    const { rule, ...whole } = cause;
    if (rule === null) {
      const sum = await sumCause(whole);
      return sum.count > 0 && resolveForm(cause, wholeSum(sum), visit, typed);
    }
    const rules = await listRules(cause.merchantId ?? '');
    const found = rules.find(
      ({ brand, installmentCount: many }) => brand === rule.brand && many === rule.installmentCount,
    );
    return found !== undefined && resolveForm(cause, found, visit, typed);
  },
  done: 'They are resolved. A later file that says otherwise opens them again.',
  next({ parameters: { of = '', name } }) {
    return withQuery(pathOf(EXCEPTIONS), { merchant: of === NONE ? undefined : of, class: name });
  },
};

export const CAUSE_ACTIONS: readonly Action<ConsoleTools>[] = [RESOLVE_CAUSE];
