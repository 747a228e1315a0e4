import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import { findUnusedCredentials, type UnusedCredentials } from './credential-use.sql.ts';

const LOOK_MILLISECONDS = 60_000;
const DAY_MILLISECONDS = 24 * 60 * 60_000;
const MOST_NAMES = 20;

/** Counts the credentials that are not used, for the metrics, and reports them once a day. */
export function reportUnusedCredentials(
  database: Database,
  days: number,
  observe: (count: number) => void,
  report: (unused: UnusedCredentials) => void,
): Work {
  let reportAt = 0;
  const look = async () => {
    const unused = await findUnusedCredentials(database, days, MOST_NAMES);
    observe(unused.count);
    if (unused.count === 0 || performance.now() < reportAt) return;
    reportAt = performance.now() + DAY_MILLISECONDS;
    report(unused);
  };
  return alsoWhileHeld(everySoOften('reportUnusedCredentials', LOOK_MILLISECONDS, look));
}
