import assert from 'node:assert/strict';
import { type Plan, readPlan } from './plan.ts';
import type { Complaint, SourceTree } from './source-tree.ts';

/** A small source tree, in which faults are planted to see that the fences stand. */
const PAGE = `# Architecture

## Modules

\`\`\`
src/
  main.ts        the process
  app/           builds the service
  values/        small things
  platform/      what any service needs
  cards/         the only module that opens a card
  antifraud/     the decision
                                              (comes with issue "Payments whole")
  webhooks/      where a merchant is told     (comes with issue "Tell")
  payments/      one-off payments
  cli/           the command line
homologation/   the simulator beside us
simulators/acquirer/       an acquirer of its own
\`\`\`

Who may import whom:

\`main, app, cli, homologation → payments → webhooks, antifraud → cards → platform → values\`

Verbs of operations: charge, open,
pay, tokenize.
`;

export function planted(files: Readonly<Record<string, string>>): SourceTree {
  return new Map([['ARCHITECTURE.md', PAGE], ...Object.entries(files)]);
}

export const PLANTED_PLAN: Plan = readPlan(planted({}));

/** Asserts that there is exactly one complaint, and that it says this. */
export function assertOne(complaints: readonly Complaint[], wanted: RegExp): void {
  assert.equal(
    complaints.length,
    1,
    `one complaint was expected (${wanted}), not:\n${complaints.join('\n')}`,
  );
  assert.match(complaints[0] as string, wanted);
}

export function assertNone(complaints: readonly Complaint[]): void {
  if (complaints.length > 0) assert.fail(`\n${complaints.join('\n')}`);
}
