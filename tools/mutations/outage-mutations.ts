import type { Mutation } from './mutation.ts';

const OUTAGES = 'src/platform/outages.ts';

/** Mistakes in what an operator is told at night, and in what a start leaves behind. */
export const OUTAGE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a work says what an outage says already',
    file: 'src/app/start-works.ts',
    find: 'if (outages.explains(error, name)) return;',
    put: '',
    caughtBy: 'src/app/start-works.test.ts',
  },
  {
    name: 'a fault of a statement is taken for an outage',
    file: OUTAGES,
    find: 'if (!(error instanceof DatabaseUnavailable)) return null;',
    put: '',
    caughtBy: 'src/platform/outages.test.ts',
  },
  {
    name: 'one connection that breaks is an outage',
    file: 'src/platform/outage.ts',
    find: 'if (this.#answeredAt === null) this.#begin(this.#feared);',
    put: 'if (!this.#isTold) this.#begin(this.#feared);',
    caughtBy: 'src/platform/outages.test.ts',
  },
  {
    name: 'a bridge that answers hides that the acquirer behind it does not',
    file: 'src/platform/process-reports/peer-calls.ts',
    find: 'this.#silent.delete(operation);\n    this.#forgetOld(at);',
    put: 'this.#silent.clear();',
    caughtBy: 'src/platform/process-reports/process-report.test.ts',
  },
  {
    name: 'a start is audited before its listeners are open',
    file: 'src/app/open-app.ts',
    find: '  const endpoints = await servedEndpoints(',
    put: '  await keys.recordStart();\n  const endpoints = await servedEndpoints(',
    caughtBy: 'test/start/ready.test.ts',
  },
  {
    name: 'the texts of functions end where those within them do',
    file: 'src/platform/migrations/migration-files.ts',
    find: '\\$(\\w*)\\$.*?\\$\\1\\$',
    put: '\\$(\\w*)\\$.*?\\$\\$',
    caughtBy: 'test/platform/migration-locks.test.ts',
  },
];
