import { type FeeRule, type FeeVersion, readFeeTable } from '../../transactions/fees/fee-table.ts';

export type FeeStanding = 'before' | 'inForce' | 'next';

export type FeeDifference = 'same' | 'changed' | 'added' | 'takenAway' | 'absent';

export type ComparedCell = { readonly rule: FeeRule | null; readonly difference: FeeDifference };

export type ComparedFees = {
  readonly versions: readonly { readonly version: FeeVersion; readonly standing: FeeStanding }[];
  readonly rules: readonly {
    readonly name: string;
    readonly cells: readonly ComparedCell[];
  }[];
  /** How many versions begin after the last shown one. */
  readonly later: number;
};

/** The most versions side by side: the one in force, the one before it, and the next ones. */
const MOST_VERSIONS = 4;

/** The most versions listed of all merchants, and of one merchant. */
export const MOST_VERSIONS_LISTED = 100;

const nameOf = ({ brand, fromInstallments: from, toInstallments: to }: FeeRule) =>
  `${brand} ${from === to ? from : `${from}–${to}`}`;

export function comparedFees(versions: readonly FeeVersion[], now: number): ComparedFees {
  const inOrder = versions.toSorted((one, other) => one.validFrom - other.validFrom);
  const inForce = inOrder.findLastIndex(({ validFrom }) => validFrom <= now);
  const first = Math.max(0, inForce - 1);
  const shown = inOrder.slice(first, first + MOST_VERSIONS).map((version, index) => ({
    version,
    standing: standingOf(first + index - inForce),
  }));
  const tables = shown.map(({ version }) => rulesOf(version));
  const names = [...new Set(tables.toReversed().flatMap((rules) => [...rules.keys()]))];
  return {
    versions: shown,
    later: Math.max(0, inOrder.length - first - shown.length),
    rules: names.map((name) => ({
      name,
      cells: tables.map((rules, index) => {
        const rule = rules.get(name) ?? null;
        const before = index === 0 ? undefined : (tables[index - 1]?.get(name) ?? null);
        return { rule, difference: differenceOf(before, rule) };
      }),
    })),
  };
}

function standingOf(distance: number): FeeStanding {
  if (distance === 0) return 'inForce';
  return distance < 0 ? 'before' : 'next';
}

/**
 * The rules of a version by brand and installments. Of several for the same the first counts, as it does for
 * sales.
 */
function rulesOf({ rules }: FeeVersion): ReadonlyMap<string, FeeRule> {
  const read = readFeeTable(rules);
  const found = new Map<string, FeeRule>();
  if (typeof read === 'string') return found;
  for (const rule of read) if (!found.has(nameOf(rule))) found.set(nameOf(rule), rule);
  return found;
}

function differenceOf(before: FeeRule | null | undefined, rule: FeeRule | null): FeeDifference {
  if (rule === null) return before == null ? 'absent' : 'takenAway';
  if (before === undefined) return 'same';
  if (before === null) return 'added';
  const isSame =
    before.portion === rule.portion &&
    before.plan.firstDays === rule.plan.firstDays &&
    before.plan.betweenDays === rule.plan.betweenDays;
  return isSame ? 'same' : 'changed';
}
