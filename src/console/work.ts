import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetInBatches } from '../platform/work/forgetting.ts';
import { deleteOldRequests } from './second-person/requests.sql.ts';
import { deleteExpiredLinks } from './users/links.sql.ts';
import { SESSION_SECONDS } from './users/session.ts';
import { deleteExpiredSessions } from './users/sessions.sql.ts';
import { deleteOldActions } from './visits/console-actions.sql.ts';

/** A form is believed in the session of its page alone: twice as long as one lasts is enough. */
const FORM_SECONDS = 2 * SESSION_SECONDS;
/** As long as a person may look for a request on its page; the audit log has it for good. */
const REQUEST_DAYS = 90;

/** Forgets keys of forms that no session can send any more. */
export function forgetOldActions(database: Database): Work {
  return forgetInBatches('forgetOldActions', (limit) => deleteOldActions(database, limit, FORM_SECONDS));
}

/** Forget what users leave behind: sessions and links, the keys of forms, and requests. */
export function consoleWorks({ database }: { readonly database: Database }): Work[] {
  return [
    forgetInBatches(
      'forgetExpiredSessions',
      (limit) => deleteExpiredSessions(database, limit),
      (limit) => deleteExpiredLinks(database, limit),
    ),
    forgetOldActions(database),
    forgetInBatches('forgetOldRequests', (limit) => deleteOldRequests(database, limit, REQUEST_DAYS)),
  ];
}
